import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import { z } from 'zod';
import { root } from './paths';

const Script = z.object({ environment: z.record(z.string(), z.string()), command: z.tuple([z.string()]) });
const Compose = z.object({
  services: z.object({
    temporal: z.object({ image: z.string(), environment: z.record(z.string(), z.string()) }),
    'temporal-schema': Script,
    'temporal-namespace': Script,
  }),
  configs: z.object({
    'temporal-role': z.object({ content: z.string() }),
    'temporal-dynamic-config': z.object({ content: z.string() }),
  }),
});

/** A shell script of a container, and the environment that it runs in. */
export interface DeployedScript {
  text: string;
  env: Record<string, string>;
}

/** Temporal on PostgreSQL as docker-compose.yml deploys it. Every text stands there as its container would see it. */
export interface DeployedTemporal {
  /** As 1.31.0. */
  version: string;
  /** What the server's own template of its configuration is filled with. */
  serverEnv: Record<string, string>;
  /** A YAML file. */
  dynamicConfig: string;
  /** Makes the role and its databases: SQL, a statement each. `:'password'` stands where psql puts the password. */
  databases: string[];
  /** Makes the tables; needs `temporal-sql-tool`. */
  schema: DeployedScript;
  /** Makes the namespace; needs `temporal`. */
  namespace: DeployedScript;
}

/** Reads docker-compose.yml, so that what is measured and tried here is what is deployed. */
export function deployedTemporal(): DeployedTemporal {
  const file = join(root, 'docker-compose.yml');
  const { services, configs } = Compose.parse(parse(readFileSync(file, 'utf8'), { merge: true }));
  const [, version] = /:(\d+\.\d+\.\d+)(?:@|$)/.exec(services.temporal.image) ?? [];
  const [, sql] = /<<'SQL'\n([\s\S]*?)\n\s*SQL\n/.exec(configs['temporal-role'].content) ?? [];
  if (version === undefined || sql === undefined)
    throw new Error(`${file}: the server's version or the SQL of its databases is not where it was`);
  return {
    version,
    serverEnv: filled(services.temporal.environment),
    dynamicConfig: unescaped(configs['temporal-dynamic-config'].content),
    databases: unescaped(sql)
      .split(';')
      .map((statement) => statement.trim())
      .filter(Boolean),
    schema: scriptOf(services['temporal-schema']),
    namespace: scriptOf(services['temporal-namespace']),
  };
}

const scriptOf = ({ environment, command: [text] }: z.infer<typeof Script>): DeployedScript => ({
  text: unescaped(text),
  env: filled(environment),
});

/** With the values that Compose takes where nobody gives another. */
const filled = (environment: Record<string, string>): Record<string, string> =>
  Object.fromEntries(
    Object.entries(environment).map(([name, value]) => [name, value.replaceAll(/\$\{\w+:-([^}]*)\}/g, '$1')]),
  );

/** Compose itself puts variables where it finds a single dollar. */
const unescaped = (text: string): string => text.replaceAll('$$', '$');
