import type { Jsdom, Part, Window } from '../walk/document';

/** Node's own `require` (environment.cjs): libraries are loaded once for all files of tests. */
declare const requireOnce: NodeJS.Require;

export interface Element extends Part {
  innerHTML: string;
  selectionStart: number;
  selectionEnd: number;
  addEventListener(type: string, listen: (event: Event) => void): void;
}
interface Storage {
  setItem(key: string, text: string): void;
  getItem(key: string): string | null;
  clear(): void;
}
interface Classes {
  HTMLElement: { prototype: object };
  HTMLInputElement: { prototype: object };
  CustomEvent: unknown;
  localStorage: Storage;
  sessionStorage: Storage;
  addEventListener: EventTarget['addEventListener'];
  removeEventListener: EventTarget['removeEventListener'];
}

/** A document without a layout (jsdom) for what the dashboard does with elements of its page: what is rendered is not put there. */
export function emptyPage() {
  const { JSDOM } = requireOnce(require.resolve('jsdom')) as Jsdom;
  const window = new JSDOM('', { url: 'https://clinic.example/' }).window as Window & Classes;
  const page = window.document as unknown as Element & {
    title: string;
    body: Element;
    activeElement: Element | null;
    querySelector(selector: string): Element | null;
  };
  const { HTMLElement, HTMLInputElement, CustomEvent, KeyboardEvent, localStorage, sessionStorage } = window;
  return {
    window,
    page,
    localStorage,
    /** What modules of the dashboard are to find in it. */
    browser: {
      window,
      document: page,
      localStorage,
      sessionStorage,
      HTMLElement,
      HTMLInputElement,
      CustomEvent,
      KeyboardEvent,
      CSS: { escape: (text: string) => text },
    },
    at(selector: string): Element {
      const element = page.querySelector(selector);
      if (!element) throw new Error(`nothing is at ${selector}`);
      return element;
    },
    /** Presses a key where the focus is: whether it was taken from the browser. */
    press(key: string, besides: object = {}, target: Part = page.activeElement ?? page.body): boolean {
      const event = new KeyboardEvent('keydown', { key, code: key, bubbles: true, cancelable: true, ...besides });
      return !target.dispatchEvent(event);
    },
  };
}
