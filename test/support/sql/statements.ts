import { dirname, join, relative, sep } from 'node:path';
import * as ts from '@typescript/typescript6';

/** A tagged SQL statement as it stands in the source. */
export interface Statement {
  /** file:line */
  place: string;
  /** With its values as $1, $2 …, as it is sent. */
  text: string;
  /** Whether each value's type has null or undefined in it. */
  parameters: boolean[];
  /** What the rows are said to be; null where the statement names no type, so that the compiler lets nobody read them. */
  row: RowProperty[] | null;
  /** Why the row type could not be read, such as a type parameter. */
  fault: string | null;
}

/** A kind of value as it comes out of the database; `json` is whatever JSON may hold, checked no further. */
export type ValueKind =
  | 'string'
  | 'number'
  | 'boolean'
  | 'Date'
  | 'json'
  | 'any'
  | `${'string' | 'number' | 'boolean'}[]`;

export interface RowProperty {
  name: string;
  isOptional: boolean;
  isNullable: boolean;
  kinds: ValueKind[];
  /** Of a union of string literals, its words. */
  words: string[] | null;
}

export interface Sources {
  statements: Statement[];
  /** Queries whose rows nobody checks, by place: they get round the template, or the type of its tag is not understood. */
  unchecked: string[];
}

const root = join(__dirname, '../../..');
const sqlFile = join(root, 'prisma/sql.ts');

/** Every statement of the repository, or of one file whose text is given and stands in the folder prisma/. */
export function readSources(planted?: { name: string; text: string }): Sources {
  const program = planted ? programOf(planted) : wholeProgram();
  const checker = program.getTypeChecker();
  const plantedFile = planted && join(root, 'prisma', planted.name);
  const files = program
    .getSourceFiles()
    .filter(({ fileName }) => (plantedFile ? fileName === plantedFile : isOurs(fileName)));
  const statements: Statement[] = [];
  const unchecked: string[] = [];
  for (const file of files) {
    const place = (node: ts.Node) => {
      const { line } = file.getLineAndCharacterOfPosition(node.getStart(file));
      return `${relative(root, file.fileName).split(sep).join('/')}:${line + 1}`;
    };
    const visit = (node: ts.Node): void => {
      if (ts.isTaggedTemplateExpression(node)) {
        if (isSqlTag(node, checker)) statements.push({ place: place(node), ...readStatement(node, checker) });
        else if (/(^|\.)(sql|tx)$/.test(node.tag.getText(file))) unchecked.push(place(node));
      }
      if (getsRoundTheTemplate(node, checker)) unchecked.push(place(node));
      ts.forEachChild(node, visit);
    };
    visit(file);
  }
  return { statements, unchecked };
}

function wholeProgram(): ts.Program {
  const { fileNames, options } = readConfiguration();
  const withSql = fileNames.filter((name) => /\b(sql|tx|query|\$\w+Raw)\b/.test(ts.sys.readFile(name) ?? ''));
  return ts.createProgram(withSql, options, hostFor(options));
}

function programOf({ name, text }: { name: string; text: string }): ts.Program {
  const { options } = readConfiguration();
  const host = hostFor(options);
  const plantedFile = join(root, 'prisma', name);
  const { getSourceFile, fileExists } = host;
  host.fileExists = (path) => path === plantedFile || fileExists(path);
  host.getSourceFile = (path, languageVersion, ...rest) =>
    path === plantedFile
      ? ts.createSourceFile(path, text, languageVersion, true)
      : getSourceFile(path, languageVersion, ...rest);
  return ts.createProgram([plantedFile], options, host);
}

function readConfiguration(): { fileNames: string[]; options: ts.CompilerOptions } {
  const file = join(root, 'tsconfig.json');
  const { config } = ts.readConfigFile(file, ts.sys.readFile);
  const { fileNames, options } = ts.parseJsonConfigFileContent(config, ts.sys, dirname(file));
  return { fileNames, options: { ...options, types: [] } };
}

/**
 * Reads our own modules and zod, of which row types are made, and leaves other packages out: that is four times as fast.
 * A type from a package that is left out would be `any`, which is a fault in a row.
 */
function hostFor(options: ts.CompilerOptions): ts.CompilerHost {
  const host = ts.createCompilerHost(options);
  host.resolveModuleNameLiterals = (names, containingFile, redirected, moduleOptions) =>
    names.map((name) =>
      /^(\.|@clinic\/|zod$)/.test(name.text)
        ? ts.resolveModuleName(
            name.text,
            containingFile,
            moduleOptions,
            host,
            undefined,
            redirected,
            ts.ModuleKind.CommonJS,
          )
        : { resolvedModule: undefined },
    );
  return host;
}

const isOurs = (fileName: string) =>
  fileName.startsWith(root) && !fileName.includes('/node_modules/') && !fileName.includes('/prisma/generated/');

/** By its type, whatever it is called: `sql`, `tx`, `database.sql`. */
function isSqlTag({ tag }: ts.TaggedTemplateExpression, checker: ts.TypeChecker): boolean {
  const declarations = checker.getTypeAtLocation(tag).aliasSymbol?.declarations ?? [];
  return declarations.some(
    (declaration) =>
      ts.isTypeAliasDeclaration(declaration) &&
      declaration.name.text === 'Sql' &&
      declaration.getSourceFile().fileName === sqlFile,
  );
}

/** A part of a statement: `prisma/sql.ts` has it. */
const isCondition = ({ symbol }: ts.Type): boolean =>
  symbol?.name === 'Condition' &&
  (symbol.declarations ?? []).some((declaration) => declaration.getSourceFile().fileName === sqlFile);

/** Prisma's raw queries, and a row type that is claimed for a query that was put together as text. */
function getsRoundTheTemplate(node: ts.Node, checker: ts.TypeChecker): boolean {
  if (ts.isPropertyAccessExpression(node)) return /^\$(query|execute)Raw/.test(node.name.text);
  if (!ts.isCallExpression(node) || !ts.isPropertyAccessExpression(node.expression)) return false;
  const [row] = node.typeArguments ?? [];
  if (!row || node.expression.name.text !== 'query' || !importsPg(node.getSourceFile())) return false;
  return checker.getPropertiesOfType(checker.getTypeFromTypeNode(row)).length > 0;
}

const importsPg = ({ statements }: ts.SourceFile) =>
  statements.some(
    (statement) =>
      ts.isImportDeclaration(statement) &&
      ts.isStringLiteral(statement.moduleSpecifier) &&
      statement.moduleSpecifier.text === 'pg',
  );

function readStatement(node: ts.TaggedTemplateExpression, checker: ts.TypeChecker): Omit<Statement, 'place'> {
  const { template } = node;
  const spans = ts.isNoSubstitutionTemplateLiteral(template) ? [] : [...template.templateSpans];
  const head = ts.isNoSubstitutionTemplateLiteral(template) ? template.text : template.head.text;
  const parameters: boolean[] = [];
  const text = spans.reduce((sum, { expression, literal }) => {
    const type = checker.getTypeAtLocation(expression);
    // Whatever rows are chosen and sorted by, their columns are the same.
    const part = /\border by\s+$/i.test(sum) ? '1' : 'true';
    const put = isCondition(type) ? part : `$${parameters.push(canBeNull(type))}`;
    return `${sum}${put}${literal.text}`;
  }, head);
  const [type] = node.typeArguments ?? [];
  if (!type) return { text, parameters, row: null, fault: null };
  return { text, parameters, ...readRow(checker.getTypeFromTypeNode(type), node, checker) };
}

function readRow(type: ts.Type, at: ts.Node, checker: ts.TypeChecker): Pick<Statement, 'row' | 'fault'> {
  const properties = checker.getPropertiesOfType(type);
  const isPlainObject = (type.flags & (ts.TypeFlags.Object | ts.TypeFlags.Intersection | ts.TypeFlags.Union)) !== 0;
  if (!isPlainObject || properties.length === 0 || checker.getIndexInfosOfType(type).length > 0) {
    return { row: null, fault: `${checker.typeToString(type)} does not list the columns` };
  }
  return { row: properties.map((property) => readProperty(property, at, checker)), fault: null };
}

function readProperty(property: ts.Symbol, at: ts.Node, checker: ts.TypeChecker): RowProperty {
  const type = checker.getTypeOfSymbolAtLocation(property, at);
  const members = (type.isUnion() ? type.types : [type]).filter((member) => !isAbsent(member));
  const words = members.map((member) => (member.isStringLiteral() ? member.value : null));
  return {
    name: property.name,
    isOptional: (property.flags & ts.SymbolFlags.Optional) !== 0,
    isNullable: (type.isUnion() ? type.types : [type]).some(({ flags }) => (flags & acceptsNull) !== 0),
    kinds: [...new Set(members.map((member) => kindOf(member, checker)))],
    words: members.length > 0 && words.every((word) => word !== null) ? words : null,
  };
}

const acceptsNull = ts.TypeFlags.Null | ts.TypeFlags.Unknown | ts.TypeFlags.Any;
const isAbsent = ({ flags }: ts.Type) => (flags & (ts.TypeFlags.Null | ts.TypeFlags.Undefined)) !== 0;

function canBeNull(type: ts.Type): boolean {
  const members = type.isUnion() ? type.types : [type];
  return members.some(
    ({ flags }) => (flags & (acceptsNull | ts.TypeFlags.Undefined | ts.TypeFlags.TypeParameter)) !== 0,
  );
}

function kindOf(type: ts.Type, checker: ts.TypeChecker): ValueKind {
  if (type.flags & ts.TypeFlags.Any) return 'any';
  if (type.flags & ts.TypeFlags.StringLike) return 'string';
  if (type.flags & ts.TypeFlags.NumberLike) return 'number';
  if (type.flags & ts.TypeFlags.BooleanLike) return 'boolean';
  if (type.symbol?.name === 'Date') return 'Date';
  if (!checker.isArrayType(type)) return 'json';
  const [element] = checker.getTypeArguments(type as ts.TypeReference);
  const kind = element && kindOf(element.isUnion() ? (element.types[0] ?? element) : element, checker);
  return kind === 'string' || kind === 'number' || kind === 'boolean' ? `${kind}[]` : 'json';
}
