import { deepStrictEqual } from 'node:assert';
import { documentedRoutes } from '@clinic/api/openapi/documented-routes';
import { z } from 'zod';

const routes = documentedRoutes().map(({ method, path, ...documented }) => ({
  method: method.toUpperCase(),
  path: new RegExp(`^${path.replaceAll('$', String.raw`\$`).replaceAll(/:\w+/g, '[^/]+')}$`),
  ...documented,
}));

/** Throws where an answer of the service holds something else than the OpenAPI document says of it, or more. */
export function checkAsDocumented(asked: { method: string; path: string }, answer: { status: number; body: unknown }) {
  const [path = ''] = asked.path.split('?');
  const route = routes.find((each) => each.method === asked.method && each.path.test(path));
  const { schema, type = 'application/json' } = route?.responses[answer.status] ?? {};
  // FHIR depends on the sandbox's rules too, and what a voice platform is answered on how it has asked.
  if (!schema || type !== 'application/json' || route?.readsBodyItself) return;
  const { data, error } = schema.safeParse(answer.body);
  const what = `${asked.method} ${path} is answered ${answer.status} as is not documented`;
  if (error) throw new Error(`${what}: ${z.prettifyError(error)}`);
  deepStrictEqual(answer.body, data, what);
}
