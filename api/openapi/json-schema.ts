import { z } from 'zod';

export type JsonSchema = Record<string, unknown>;

export interface Components {
  schemas: Record<string, JsonSchema>;
  /** The JSON Schema of what is sent (`input`) or returned (`output`); named schemas become components. */
  schemaOf(schema: z.ZodType, io: 'input' | 'output'): JsonSchema;
}

/** zod writes JSON Schema 2020-12, which is what OpenAPI 3.1 is made of. */
export function createComponents(): Components {
  const schemas: Record<string, JsonSchema> = {};

  const keep = (name: string, schema: JsonSchema) => {
    const known = schemas[name];
    if (known && JSON.stringify(known) !== JSON.stringify(schema)) {
      throw new Error(`two different schemas are named ${name}`);
    }
    schemas[name] = schema;
  };

  return {
    schemas,
    schemaOf(schema, io) {
      const { $schema: _draft, $defs = {}, ...root } = z.toJSONSchema(schema, { io, unrepresentable: 'any', override });
      for (const [name, definition] of Object.entries($defs)) keep(name, pointToComponents(definition));
      return pointToComponents(root);
    },
  };
}

/** zod closes every object of a response. A client must expect new fields there, so only what is declared strict stays closed. */
const override: NonNullable<Parameters<typeof z.toJSONSchema>[1]>['override'] = ({ zodSchema, jsonSchema }) => {
  if (zodSchema instanceof z.ZodObject && !zodSchema.def.catchall) delete jsonSchema.additionalProperties;
};

function pointToComponents<T>(value: T): T {
  const text = JSON.stringify(value).replaceAll('"$ref":"#/$defs/', '"$ref":"#/components/schemas/');
  return JSON.parse(text) as T;
}
