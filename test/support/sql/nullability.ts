import type { A_Expr, FuncCall, JoinExpr, Node, RangeFunction, ResTarget, SelectStmt, SubLink } from '@pgsql/types';

/** A column of a table, a view, a subquery or a statement's result. */
export interface Column {
  name: string;
  /** False only where the value can never be null. */
  isNullable: boolean;
  /** The words that it can hold, where a CHECK constraint or the statement itself lists them. */
  words: readonly string[] | null;
}

export interface Catalog {
  /** The columns of a table or a view. */
  columnsOf(relation: string): Column[];
  /** The columns of a function that returns a table; null for any other function. */
  tableFunction(name: string): Column[] | null;
}

interface Source {
  alias: string;
  columns: Column[];
}

interface Scope {
  catalog: Catalog;
  /** Whether the value of parameter $n can be null, by n - 1. */
  parameters: readonly boolean[];
  ctes: ReadonlyMap<string, Column[]>;
  sources: Source[];
  outer: Scope | null;
}

/**
 * The columns that a statement returns, worked out from its syntax tree. What is not known to be never null counts as
 * nullable, so a mistake of this file asks for a needless `| null` and never hides a missing one.
 */
export function resultColumns(statement: Node, catalog: Catalog, parameters: readonly boolean[]): Column[] {
  return columnsOf(statement, { catalog, parameters, ctes: new Map(), sources: [], outer: null });
}

function columnsOf(statement: Node, outer: Scope): Column[] {
  if ('SelectStmt' in statement) return selectColumns(statement.SelectStmt, outer);
  if ('InsertStmt' in statement) {
    const { relation, withClause, returningClause } = statement.InsertStmt;
    const scope = withCtes(withClause?.ctes, outer);
    const sources = sourcesOf([{ RangeVar: relation ?? {} }], scope);
    return targetColumns(returningClause?.exprs, { ...scope, sources });
  }
  if ('UpdateStmt' in statement) {
    const { relation, fromClause, withClause, whereClause, targetList = [], returningClause } = statement.UpdateStmt;
    const scope = withCtes(withClause?.ctes, outer);
    const sources = sourcesOf([{ RangeVar: relation ?? {} }, ...(fromClause ?? [])], scope);
    const [target, ...others] = narrowed(sources, whereClause, scope);
    const updated = afterUpdate(sources[0] ?? unknownSource, target ?? unknownSource, targetList.map(asTarget), {
      ...scope,
      sources,
    });
    return targetColumns(returningClause?.exprs, { ...scope, sources: [updated, ...others] });
  }
  if ('DeleteStmt' in statement) {
    const { relation, usingClause, withClause, whereClause, returningClause } = statement.DeleteStmt;
    const scope = withCtes(withClause?.ctes, outer);
    const sources = sourcesOf([{ RangeVar: relation ?? {} }, ...(usingClause ?? [])], scope);
    return targetColumns(returningClause?.exprs, { ...scope, sources: narrowed(sources, whereClause, scope) });
  }
  return [];
}

function selectColumns(select: SelectStmt, outer: Scope): Column[] {
  const scope = withCtes(select.withClause?.ctes, outer);
  if (select.larg && select.rarg) {
    return eitherOf(selectColumns(select.larg, scope), selectColumns(select.rarg, scope));
  }
  if (select.valuesLists) {
    const rows = select.valuesLists.map((list) =>
      'List' in list
        ? (list.List.items ?? []).map((item, index) => valueColumn(`column${index + 1}`, item, scope))
        : [],
    );
    return rows.reduce(eitherOf);
  }
  const sources = narrowed(sourcesOf(select.fromClause ?? [], scope), select.whereClause, scope);
  return targetColumns(select.targetList, { ...scope, sources }, select.groupClause !== undefined);
}

const eitherOf = (some: Column[], others: Column[]): Column[] =>
  some.map((column, index) => {
    const other = others[index] ?? column;
    const words = column.words && other.words && [...new Set([...column.words, ...other.words])];
    return { name: column.name, isNullable: column.isNullable || other.isNullable, words };
  });

function withCtes(ctes: Node[] | undefined, outer: Scope): Scope {
  let scope: Scope = { ...outer, sources: [], outer };
  for (const node of ctes ?? []) {
    if (!('CommonTableExpr' in node)) continue;
    const { ctename = '', ctequery } = node.CommonTableExpr;
    // A recursive one reads its own name, which first holds what the part before UNION gives.
    const first = ctequery && 'SelectStmt' in ctequery ? ctequery.SelectStmt.larg : undefined;
    const seeded = first ? new Map([...scope.ctes, [ctename, selectColumns(first, scope)]]) : scope.ctes;
    const columns = ctequery ? columnsOf(ctequery, { ...scope, ctes: seeded }) : [];
    scope = { ...scope, ctes: new Map([...scope.ctes, [ctename, columns]]) };
  }
  return scope;
}

/** The FROM items, each of which sees those before it, as LATERAL lets it. */
function sourcesOf(items: Node[], scope: Scope): Source[] {
  const sources: Source[] = [];
  for (const item of items) sources.push(...sourceOf(item, { ...scope, sources }));
  return sources;
}

const unknownSource: Source = { alias: '', columns: [] };

function sourceOf(item: Node, scope: Scope): Source[] {
  if ('RangeVar' in item) {
    const { relname = '', alias } = item.RangeVar;
    const columns = scope.ctes.get(relname) ?? scope.catalog.columnsOf(relname);
    // Copies, because a condition on one of two aliases of a table says nothing of the other.
    return [{ alias: alias?.aliasname ?? relname, columns: columns.map((column) => ({ ...column })) }];
  }
  if ('JoinExpr' in item) return joinedSources(item.JoinExpr, scope);
  if ('RangeSubselect' in item) {
    const { subquery, alias } = item.RangeSubselect;
    const columns = subquery ? columnsOf(subquery, scope) : [];
    return [{ alias: alias?.aliasname ?? '', columns: renamed(columns, alias?.colnames) }];
  }
  if ('RangeFunction' in item) return [functionSource(item.RangeFunction, scope)];
  throw new Error(`no rule for ${Object.keys(item).join()} in FROM`);
}

const renamed = (columns: Column[], names: Node[] | undefined): Column[] =>
  columns.map((column, index) => ({ ...column, name: textOf(names?.[index]) ?? column.name }));

function joinedSources({ larg, rarg, jointype, quals }: JoinExpr, scope: Scope): Source[] {
  const left = larg ? sourceOf(larg, scope) : [];
  const right = rarg ? sourceOf(rarg, { ...scope, sources: [...scope.sources, ...left] }) : [];
  if (jointype === 'JOIN_LEFT') return [...left, ...right.map(absentAtTimes)];
  if (jointype === 'JOIN_RIGHT') return [...left.map(absentAtTimes), ...right];
  if (jointype === 'JOIN_FULL') return [...left, ...right].map(absentAtTimes);
  return narrowed([...left, ...right], quals, scope);
}

/** The side of an outer join that may have no row: each of its columns is null then. */
const absentAtTimes = ({ alias, columns }: Source): Source => ({
  alias,
  columns: columns.map((column) => ({ ...column, isNullable: true })),
});

function functionSource({ functions, alias, coldeflist }: RangeFunction, scope: Scope): Source {
  const [entry] = functions ?? [];
  const [call] = entry && 'List' in entry ? (entry.List.items ?? []) : [];
  const name = call && 'FuncCall' in call ? functionName(call.FuncCall) : '';
  const aliasname = alias?.aliasname ?? name;
  const defined = [...(coldeflist ?? []), ...(alias?.colnames ?? [])].map(
    (column) => ('ColumnDef' in column ? column.ColumnDef.colname : textOf(column)) ?? '',
  );
  const columns = scope.catalog.tableFunction(name) ?? [{ name: aliasname, isNullable: true, words: null }];
  if (defined.length === 0) return { alias: aliasname, columns };
  return { alias: aliasname, columns: defined.map((column) => ({ name: column, isNullable: true, words: null })) };
}

// ——— what a condition says of the rows that it lets through ———

/** The sources without null in those columns that the condition compares or says to be present. */
function narrowed(sources: Source[], condition: Node | undefined, scope: Scope): Source[] {
  if (!condition) return sources;
  const present = new Set<Column>();
  for (const reference of referencesThatArePresent(condition)) {
    const found = find(reference, { ...scope, sources, outer: null });
    if (found) present.add(found);
  }
  return sources.map(({ alias, columns }) => ({
    alias,
    columns: columns.map((column) => (present.has(column) ? { ...column, isNullable: false } : column)),
  }));
}

function referencesThatArePresent(condition: Node): Node[] {
  if ('BoolExpr' in condition) {
    const { boolop, args = [] } = condition.BoolExpr;
    return boolop === 'AND_EXPR' ? args.flatMap(referencesThatArePresent) : [];
  }
  if ('NullTest' in condition) {
    const { arg, nulltesttype } = condition.NullTest;
    return arg && nulltesttype === 'IS_NOT_NULL' ? [arg] : [];
  }
  if ('A_Expr' in condition) {
    const { kind, lexpr, rexpr, name } = condition.A_Expr;
    if (kind === 'AEXPR_OP' && ['=', '<>', '<', '>', '<=', '>='].includes(textOf(name?.[0]) ?? '')) {
      return [lexpr, rexpr].filter((side) => side !== undefined);
    }
    return lexpr && (kind === 'AEXPR_OP_ANY' || kind === 'AEXPR_IN') ? [lexpr] : [];
  }
  return [];
}

/** A row after UPDATE … SET: what was set is as the expression is, the rest as the condition found it. */
function afterUpdate(before: Source, found: Source, set: ResTarget[], scope: Scope): Source {
  const columns = found.columns.map((column, index) => {
    const change = set.find(({ name }) => name === column.name);
    if (!change?.val) return column;
    const original = before.columns[index] ?? column;
    return { ...original, isNullable: original.isNullable && isNullable(change.val, scope) };
  });
  return { alias: found.alias, columns };
}

// ——— expressions ———

function targetColumns(targets: Node[] | undefined, scope: Scope, isGrouped = false): Column[] {
  return (targets ?? []).flatMap((node) => {
    const { name, val } = asTarget(node);
    if (!val) return [];
    if ('ColumnRef' in val && (val.ColumnRef.fields ?? []).some((field) => 'A_Star' in field)) {
      const [of] = val.ColumnRef.fields ?? [];
      const chosen = scope.sources.filter(({ alias }) => !of || 'A_Star' in of || alias === textOf(of));
      return chosen.flatMap(({ columns }) => columns);
    }
    return [valueColumn(name ?? defaultName(val), val, scope, isGrouped)];
  });
}

const asTarget = (node: Node): ResTarget => ('ResTarget' in node ? node.ResTarget : {});

const valueColumn = (name: string, value: Node, scope: Scope, isGrouped = false): Column => ({
  name,
  isNullable: isNullable(value, scope, isGrouped),
  words: wordsOf(value, scope),
});

function defaultName(value: Node): string {
  if ('ColumnRef' in value) return textOf(value.ColumnRef.fields?.at(-1)) ?? '';
  if ('FuncCall' in value) return functionName(value.FuncCall);
  if ('TypeCast' in value && value.TypeCast.arg) return defaultName(value.TypeCast.arg);
  if ('CoalesceExpr' in value) return 'coalesce';
  if ('SubLink' in value) return 'exists';
  return '?column?';
}

/** The words that an expression can take, null where they cannot be listed. */
function wordsOf(value: Node, scope: Scope): readonly string[] | null {
  if ('ColumnRef' in value) return find(value, scope)?.words ?? null;
  if ('TypeCast' in value && value.TypeCast.arg) return wordsOf(value.TypeCast.arg, scope);
  if ('A_Const' in value) return value.A_Const.sval ? [value.A_Const.sval.sval ?? ''] : null;
  if ('CoalesceExpr' in value) return together(value.CoalesceExpr.args ?? [], scope);
  if ('CaseExpr' in value) {
    const { args = [], defresult } = value.CaseExpr;
    const results = [...args.map((arg) => ('CaseWhen' in arg ? arg.CaseWhen.result : undefined)), defresult];
    return together(
      results.filter((result) => result !== undefined),
      scope,
    );
  }
  if ('SubLink' in value && value.SubLink.subLinkType === 'EXPR_SUBLINK' && value.SubLink.subselect) {
    return columnsOf(value.SubLink.subselect, scope)[0]?.words ?? null;
  }
  return null;
}

function together(values: Node[], scope: Scope): readonly string[] | null {
  const words = new Set<string>();
  for (const value of values) {
    const some = wordsOf(value, scope);
    if (!some) return null;
    for (const word of some) words.add(word);
  }
  return [...words];
}

/** Functions that return a value whatever they are given. */
const neverNull = `
  count now clock_timestamp gen_random_uuid concat concat_ws row_number cardinality json_build_object
  jsonb_build_object json_build_array jsonb_build_array`.split(/\s+/);
/** Functions that return null only when an argument is null. */
const strict = `
  lower upper trim btrim length to_char to_json to_jsonb extract floor ceil round abs make_interval
  jsonb_object_keys array_remove pg_sleep hashtext hashtextextended md5 repeat`.split(/\s+/);
/** Aggregates that have a value for a group, which has at least one row, of values that are never null. */
const aggregates = `
  min max sum avg bool_or bool_and string_agg array_agg json_agg jsonb_agg json_object_agg
  jsonb_object_agg`.split(/\s+/);

function isNullable(value: Node, scope: Scope, isGrouped = false): boolean {
  const any = (values: (Node | undefined)[]) => values.some((one) => !one || isNullable(one, scope, isGrouped));
  if ('ColumnRef' in value) return columnFor(value, scope).isNullable;
  if ('ParamRef' in value) return scope.parameters[(value.ParamRef.number ?? 0) - 1] ?? true;
  if ('A_Const' in value) return value.A_Const.isnull ?? false;
  if ('TypeCast' in value) return any([value.TypeCast.arg]);
  if ('CoalesceExpr' in value) return (value.CoalesceExpr.args ?? []).every((one) => any([one]));
  if ('MinMaxExpr' in value) return (value.MinMaxExpr.args ?? []).every((one) => any([one]));
  if ('NullTest' in value || 'BooleanTest' in value || 'SQLValueFunction' in value || 'A_ArrayExpr' in value)
    return false;
  if ('BoolExpr' in value) return any(value.BoolExpr.args ?? []);
  if ('SubLink' in value) return isSublinkNullable(value.SubLink, scope);
  if ('A_Expr' in value) return isOperationNullable(value.A_Expr, any);
  if ('CaseExpr' in value) {
    const { args = [], defresult } = value.CaseExpr;
    return any([...args.map((arg) => ('CaseWhen' in arg ? arg.CaseWhen.result : undefined)), defresult]);
  }
  if ('FuncCall' in value) {
    const name = functionName(value.FuncCall);
    const args = value.FuncCall.args ?? [];
    if (neverNull.includes(name)) return false;
    if (strict.includes(name)) return any(args.map(argumentOf));
    if (aggregates.includes(name)) return !isGrouped || value.FuncCall.agg_filter !== undefined || any(args);
  }
  return true;
}

const argumentOf = (arg: Node): Node | undefined => ('NamedArgExpr' in arg ? arg.NamedArgExpr.arg : arg);

function isOperationNullable(
  { kind, name, lexpr, rexpr }: A_Expr,
  any: (values: (Node | undefined)[]) => boolean,
): boolean {
  if (kind === 'AEXPR_DISTINCT' || kind === 'AEXPR_NOT_DISTINCT') return false;
  if (kind === 'AEXPR_IN') return any([lexpr, ...(rexpr && 'List' in rexpr ? (rexpr.List.items ?? []) : [rexpr])]);
  if (kind !== 'AEXPR_OP') return true;
  // A key may be missing from JSON.
  if (['->', '->>', '#>', '#>>'].includes(textOf(name?.[0]) ?? '')) return true;
  return any(lexpr ? [lexpr, rexpr] : [rexpr]);
}

/** A subquery as a value is null where it has no row; only an aggregate over everything always has one. */
function isSublinkNullable({ subLinkType, subselect }: SubLink, scope: Scope): boolean {
  if (subLinkType === 'EXISTS_SUBLINK' || subLinkType === 'ARRAY_SUBLINK') return false;
  if (subLinkType !== 'EXPR_SUBLINK' || !subselect || !('SelectStmt' in subselect)) return true;
  const { targetList = [], groupClause, havingClause } = subselect.SelectStmt;
  const isOneRow = !groupClause && !havingClause && targetList.some((target) => isAggregate(asTarget(target).val));
  return !isOneRow || columnsOf(subselect, scope).some((column) => column.isNullable);
}

function isAggregate(value: Node | undefined): boolean {
  if (!value) return false;
  if ('TypeCast' in value) return isAggregate(value.TypeCast.arg);
  if ('CoalesceExpr' in value) return (value.CoalesceExpr.args ?? []).some(isAggregate);
  return 'FuncCall' in value && ['count', ...aggregates].includes(functionName(value.FuncCall));
}

const functionName = ({ funcname }: FuncCall): string => textOf(funcname?.at(-1)) ?? '';

const textOf = (node: Node | undefined): string | undefined =>
  node && 'String' in node ? node.String.sval : undefined;

function columnFor(reference: Node, scope: Scope): Column {
  const column = find(reference, scope);
  if (column) return column;
  return { name: '', isNullable: true, words: null };
}

function find(reference: Node, scope: Scope): Column | undefined {
  if (!('ColumnRef' in reference)) return undefined;
  const names = (reference.ColumnRef.fields ?? []).map(textOf);
  const name = names.at(-1);
  const alias = names.length > 1 ? names.at(-2) : undefined;
  for (let at: Scope | null = scope; at; at = at.outer) {
    const sources = at.sources.filter((source) => alias === undefined || source.alias === alias);
    const column = sources.flatMap(({ columns }) => columns).find((one) => one.name === name);
    if (column) return column;
  }
  return undefined;
}
