import type { Context } from 'node:vm';

/** As much of a document as is used here: the types of the project know none, for its code runs in Node. */
export interface Part {
  nodeType: number;
  tagName: string;
  id: string;
  textContent: string | null;
  childNodes: Iterable<Part>;
  children: Iterable<Part>;
  parentElement: Part | null;
  ownerDocument: Document;
  style: { display: string };
  value: string;
  checked: boolean;
  isConnected: boolean;
  getAttribute(name: string): string | null;
  hasAttribute(name: string): boolean;
  closest(selector: string): Part | null;
  querySelectorAll(selector: string): Iterable<Part>;
  focus(): void;
  blur(): void;
  click(): void;
  dispatchEvent(event: object): boolean;
}

interface Document {
  body: Part;
  activeElement: Part | null;
  getElementById(id: string): Part | null;
  getElementsByTagName(name: string): { length: number };
  querySelector(selector: string): Part | null;
}

type Made = new (type: string, init?: object) => object;

export interface Window {
  document: Document;
  location: { pathname: string; search: string };
  history: { state: unknown; pushState(state: unknown, unused: string, address: string): void };
  sessionStorage: { setItem(key: string, value: string): void };
  URL: object;
  Element: { prototype: object };
  HTMLInputElement: { prototype: object };
  HTMLTextAreaElement: { prototype: object };
  Event: Made;
  KeyboardEvent: Made;
  PopStateEvent: Made;
  dispatchEvent(event: object): boolean;
  close(): void;
}

interface Console {
  on(kind: 'jsdomError', note: (error: Error) => void): void;
  on(kind: 'error', note: (said: unknown) => void): void;
}

export interface Jsdom {
  JSDOM: new (html: string, options: object) => { window: Window; getInternalVMContext(): Context };
  VirtualConsole: new () => Console;
}
