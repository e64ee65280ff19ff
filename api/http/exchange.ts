import type { Request, Response } from 'express';
import type { Limits } from './limits';
import type { Leave } from './under-way';
import type { Caller, Reply, Route } from './route';

/** Hears of one request what becomes of it. */
export interface Observer {
  /** What it is answered with; status and headers are read when they are sent. */
  replied(reply: Reply): void;
  /** Nothing more is done for it. */
  done(): void;
}

/** What may watch requests from outside: it is asked at once, and waited for never. */
export interface Observers {
  /** The caller is known, its request neither counted nor read yet. Null where nobody observes it. */
  observe(exchange: Exchange): Observer | null;
  /** The credential of the request was refused. */
  refused(exchange: Exchange): void;
}

/** One request on its way through the steps that `mount.ts` lists. */
export class Exchange {
  readonly startedAt = Date.now();
  caller: Caller = nobody;
  private observer: Observer | null = null;
  private release: Leave;
  private readonly began = performance.now();

  constructor(
    /** Method and path of its route, as `GET /Slot`. */
    readonly name: string,
    readonly route: Route,
    readonly request: Request,
    readonly response: Response,
    private readonly limits: Limits,
  ) {
    this.release = limits.enter(route);
  }

  admitted(caller: Caller, observers: Observers): void {
    this.caller = caller;
    this.observer = observers.observe(this);
  }

  /**
   * Waits for a body that is still on its way. It has no place among the requests under way meanwhile, so that those who
   * send slowly keep nobody else out; one caller, and one address, may only have so many.
   */
  async stepAside(arriving: Promise<void>): Promise<void> {
    const { limits, caller, request, route } = this;
    let end = nothing;
    let timer: NodeJS.Timeout | undefined;
    const counted = new Promise<never>((_resolve, reject) => {
      const count = () => {
        try {
          if (timer) end = limits.awaitBody(caller, request.ip ?? '');
        } catch (error) {
          reject(error);
        }
      };
      // What arrived while this process was busy is read first, and then not counted.
      timer = setTimeout(() => setImmediate(count), PROMPT_MS);
    });
    this.release({ isDone: false });
    this.release = nothing;
    try {
      await Promise.race([arriving, counted]);
    } finally {
      clearTimeout(timer);
      timer = undefined;
      end();
    }
    this.release = limits.enter(route);
  }

  /** From now on it is one of the requests that its caller holds open, in place of one under way. */
  holdOpen(): void {
    const release = this.limits.hold(this.caller);
    this.release();
    this.release = release;
  }

  /** How much of a time since its beginning is left. */
  leftOf(milliseconds: number): number {
    return milliseconds - (performance.now() - this.began);
  }

  replied(reply: Reply): void {
    this.observer?.replied(reply);
  }

  done(): void {
    this.release();
    this.observer?.done();
  }
}

/** Most bodies take less: they are not counted among those that are sent slowly. */
const PROMPT_MS = 500;

const nothing = (): void => undefined;

const nobody: Caller = { kind: 'nobody' };
