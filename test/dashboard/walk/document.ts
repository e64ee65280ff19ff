import type { Context } from 'node:vm';

/** As much of a document as is used here: the types of the project know none, for its code runs in Node. */
export interface Part {
  nodeType: number;
  tagName: string;
  id: string;
  textContent: string | null;
  children: Iterable<Part>;
  firstChild: Part | null;
  nextSibling: Part | null;
  parentElement: Part | null;
  ownerDocument: Document;
  style: { display: string };
  value: string;
  checked: boolean;
  isConnected: boolean;
  getAttribute(name: string): string | null;
  hasAttribute(name: string): boolean;
  closest(selector: string): Part | null;
  focus(): void;
  blur(): void;
  click(): void;
  dispatchEvent(event: object): boolean;
}

interface Document {
  body: Part;
  activeElement: Part | null;
  getElementById(id: string): Part | null;
  querySelector(selector: string): Part | null;
}

/** What is directly in an element. jsdom's own lists look up anew what they hold, whenever they are asked. */
export function childNodesOf(element: Part): Part[] {
  const nodes: Part[] = [];
  for (let node = element.firstChild; node; node = node.nextSibling) nodes.push(node);
  return nodes;
}

/** The elements within one that are wanted, in the order of the page. */
export function elementsIn(element: Part, isWanted: (each: Part) => boolean, found: Part[] = []): Part[] {
  for (const node of childNodesOf(element)) {
    if (node.nodeType !== ELEMENT) continue;
    if (isWanted(node)) found.push(node);
    elementsIn(node, isWanted, found);
  }
  return found;
}

export const [ELEMENT, TEXT] = [1, 3];

type Made = new (type: string, init?: object) => object;

export interface Window {
  document: Document;
  location: { pathname: string; search: string };
  history: { state: unknown; back(): void; pushState(state: unknown, unused: string, address: string): void };
  sessionStorage: { setItem(key: string, value: string): void };
  URL: object;
  Element: { prototype: object };
  HTMLAnchorElement: { prototype: object };
  HTMLElement: { prototype: { click: () => void } };
  HTMLInputElement: { prototype: object };
  HTMLTextAreaElement: { prototype: object };
  Event: Made;
  KeyboardEvent: Made;
  PopStateEvent: Made;
  MutationObserver: new (note: (changes: object[]) => void) => { observe(document: Document, what: object): void };
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
