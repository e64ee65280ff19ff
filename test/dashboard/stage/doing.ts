import { type Reader, type Stage, textsIn } from './dashboard';
import { type AtDesk, deskOf } from './desk';
import type { answering } from './service';

interface Beginning {
  /** What the service answers, in turn; where none is left it refuses. */
  replies?: object[];
  /** What it has answered, by the option of the query. */
  answers?: [option: { queryKey: unknown }, answer: unknown][];
  at?: string;
  path?: string;
  as?: Reader;
}

interface Told {
  /** With its colour before it. */
  text: string;
  label?: string;
  onClick?: () => void;
}

export interface Doing extends Omit<AtDesk, 'texts'> {
  /** What was told since it was asked last, oldest first, once the service has answered. */
  told(): Promise<Told[]>;
  /** The texts alone. */
  texts(): Promise<string[]>;
  /** What it shows by now. */
  now(): Promise<string>;
  requests: unknown[];
}

/** A text with plain spaces. */
export const spaced = (text: string): string => text.replaceAll(/\s/g, ' ');

/** All texts of a markup in one. */
export const wordsIn = (markup: string): string => spaced(textsIn(markup).join(' '));

/** Lets somebody act on a component while the service answers, and tells what came of it. */
export function doing(stage: Stage, service: ReturnType<typeof answering>) {
  const { open } = deskOf(() => stage, service);
  return (component: unknown, props: object = {}, { replies = [], answers = [], ...shown }: Beginning = {}): Doing => {
    const given = answers.map(([{ queryKey }, answer]): [unknown, unknown] => [queryKey, answer]);
    const acting = open(component, { ...shown, answers: given }, props);
    service.replies.push(...replies);
    const told = async () => {
      await acting.settled();
      const said = stage.said().toReversed();
      return said.map(({ message, color, ...next }) => ({ ...next, text: spaced(`${color}: ${message}`) }));
    };
    return {
      ...acting,
      requests: service.requests,
      told,
      texts: async () => (await told()).map(({ text }) => text),
      async now() {
        await acting.settled();
        return wordsIn(acting.again());
      },
    };
  };
}
