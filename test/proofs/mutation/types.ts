import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import * as ts from '@typescript/typescript6';

/** What the compiler says of a file whose text is changed. */
export interface Types {
  /** What it refuses in the changed text, and in files that import it; nothing for what is merely unused now. */
  faultsOf(file: string, text: string): string[];
  /** Another word of the closed set that the string at this place belongs to; null where its type names no such set. */
  neighbourOf(file: string, start: number): string | null;
}

/** Of the project of a tsconfig.json, as it stands on disk; reads all its files once, which takes some seconds. */
export function openTypes(root: string, configFile: string, isTaken: (file: string) => boolean): Types {
  const { config } = ts.readConfigFile(join(root, configFile), ts.sys.readFile);
  const parsed = ts.parseJsonConfigFileContent(config, ts.sys, dirname(join(root, configFile)));
  const names = parsed.fileNames.filter((name) => isTaken(name.slice(root.length + 1)));
  const changed = new Map<string, { text: string; version: number }>();
  const textOf = (name: string) => changed.get(name)?.text ?? ts.sys.readFile(name);
  const service = ts.createLanguageService({
    getScriptFileNames: () => names,
    getScriptVersion: (name) => String(changed.get(name)?.version ?? 0),
    getScriptSnapshot: (name) => {
      const text = textOf(name);
      return text === undefined ? undefined : ts.ScriptSnapshot.fromString(text);
    },
    getCurrentDirectory: () => dirname(join(root, configFile)),
    getCompilationSettings: () => parsed.options,
    getDefaultLibFileName: ts.getDefaultLibFilePath,
    fileExists: ts.sys.fileExists,
    readFile: ts.sys.readFile,
    readDirectory: ts.sys.readDirectory,
    directoryExists: ts.sys.directoryExists,
    getDirectories: ts.sys.getDirectories,
    realpath: ts.sys.realpath ?? ((path) => path),
  });
  const put = (name: string, text: string) =>
    changed.set(name, { text, version: (changed.get(name)?.version ?? 0) + 1 });
  const faultsIn = (name: string) =>
    [...service.getSyntacticDiagnostics(name), ...service.getSemanticDiagnostics(name)]
      .filter(({ code, reportsUnnecessary }) => !reportsUnnecessary && !unused.has(code))
      .map(({ messageText }) => ts.flattenDiagnosticMessageText(messageText, ' '));
  /** What other files see of one. */
  const shownBy = (name: string) => service.getEmitOutput(name, true, true).outputFiles[0]?.text;

  return {
    faultsOf(file, text) {
      const name = join(root, file);
      const before = shownBy(name);
      put(name, text);
      try {
        const faults = faultsIn(name);
        if (faults.length > 0 || shownBy(name) === before) return faults;
        const importing = new Set(service.getFileReferences(name).map(({ fileName }) => fileName));
        return [...importing].flatMap(faultsIn);
      } finally {
        put(name, readFileSync(name, 'utf8'));
      }
    },
    neighbourOf(file, start) {
      const program = service.getProgram();
      const source = program?.getSourceFile(join(root, file));
      const literal = source && literalAt(source, start);
      return program && literal ? otherWord(literal, program.getTypeChecker()) : null;
    },
  };
}

/** Who takes the last use of something away takes the thing away too. */
const unused = new Set([6133, 6138, 6192, 6196, 6198]);

function literalAt(source: ts.SourceFile, start: number): ts.StringLiteral | null {
  const find = (node: ts.Node): ts.StringLiteral | null => {
    if (ts.isStringLiteral(node) && node.getStart(source) === start) return node;
    return ts.forEachChild(node, (child) => (child.pos <= start && start < child.end ? find(child) : null)) ?? null;
  };
  return find(source);
}

function otherWord(literal: ts.StringLiteral, checker: ts.TypeChecker): string | null {
  const type = expectedType(literal, checker);
  if (!type?.isUnion()) return null;
  const members = type.types.filter(({ flags }) => !(flags & (ts.TypeFlags.Null | ts.TypeFlags.Undefined)));
  const words = members.flatMap((member) => (member.isStringLiteral() ? [member.value] : []));
  const index = words.indexOf(literal.text);
  if (words.length < members.length || words.length < 2 || index < 0) return null;
  return `'${words[(index + 1) % words.length]}'`;
}

function expectedType(literal: ts.StringLiteral, checker: ts.TypeChecker): ts.Type | undefined {
  const { parent } = literal;
  if (ts.isCaseClause(parent)) return checker.getTypeAtLocation(parent.parent.parent.expression);
  if (ts.isBinaryExpression(parent) && /^[!=]==$/.test(parent.operatorToken.getText()))
    return checker.getTypeAtLocation(parent.left === literal ? parent.right : parent.left);
  return checker.getContextualType(literal);
}
