import type { Exchange } from './exchange';
import type { IdempotentReplies } from './idempotency';
import type { NotePatientData } from './patient-audit';
import type { AskedRequest } from './read-request';
import type { Around, Reply, Route, RouteDeps } from './route';

export interface AnswerDeps {
  idempotency: IdempotentReplies;
  notePatientData: NotePatientData;
  /** What the routes work with. */
  routeDeps: RouteDeps;
}

type Change = Parameters<Parameters<Around>[2]>[0];

/** What a route answers: once under its `Idempotency-Key`, with what it shows of patients noted, and within what is around it. */
export function answerer(
  route: Route,
  { idempotency, notePatientData, routeDeps }: AnswerDeps,
): (exchange: Exchange, asked: AskedRequest) => Promise<Reply> | Reply {
  const { patientData = 'none', showsSecret } = route;

  const handled = (asked: AskedRequest) => route.handle(asked, routeDeps);
  const once = ({ request }: Exchange, asked: AskedRequest, work: typeof handled): Promise<Reply> | Reply => {
    const { key, caller } = asked;
    if (!key) return work(asked);
    return idempotency.once({ key, caller, request, showsSecret }, async (wasMade = false) => {
      asked.wasMade = wasMade;
      return work(asked);
    });
  };

  const noted = async (exchange: Exchange, asked: AskedRequest, change?: Change): Promise<Reply> => {
    const { caller, query } = asked;
    const about = { route, caller, request: exchange.request, query };
    const known = patientData === 'none' ? undefined : patientData.asksFor?.(asked as never);
    if (known)
      return (await Promise.all([once(exchange, asked, handled), notePatientData(about, { subjects: known })]))[0];
    const note = async (reply: Reply): Promise<Reply> => {
      await notePatientData(about, reply);
      return reply;
    };
    // Before the answer is kept: whoever gets that again is noted as one who reads it, and then nobody would be as who changed it.
    const reply = await once(exchange, asked, async () => {
      const answered = await handled(asked);
      return note(change ? await change(answered) : answered);
    });
    return reply.isRepeated ? note(reply) : reply;
  };

  const answer = (exchange: Exchange, asked: AskedRequest, change?: Change) =>
    patientData === 'none' ? once(exchange, asked, handled) : noted(exchange, asked, change);
  return (exchange, asked) => {
    const around = route.around?.(asked.caller);
    if (!around) return answer(exchange, asked);
    return around(exchange, asked as never, async (change) => answer(exchange, asked, change), routeDeps);
  };
}
