import * as ts from '@typescript/typescript6';
import type { Mutant, Operator } from './mutant';
import { sqlMutants } from './sql-mutants';

interface Change {
  operator: Operator;
  start: number;
  end: number;
  replacement: string | null;
}

/** Every fault that the operators make of a TypeScript file, that of the SQL in its templates too. */
export function typescriptMutants(file: string, text: string): Mutant[] {
  const kind = file.endsWith('x') ? ts.ScriptKind.TSX : ts.ScriptKind.TS;
  const source = ts.createSourceFile(file, text, ts.ScriptTarget.Latest, true, kind);
  const changes: Change[] = [];
  const visit = (node: ts.Node): void => {
    if (isNoLogic(node)) return;
    changes.push(...changesOf(node, source));
    ts.forEachChild(node, visit);
  };
  visit(source);
  const lines = text.split('\n');
  return changes.map((change) => {
    const { line } = source.getLineAndCharacterOfPosition(change.start);
    return { file, line: line + 1, at: (lines[line] ?? '').trim(), ...change };
  });
}

/** Words for people: what a document says, how a page looks, what is logged, the types. */
const explaining = new Set(['describe', 'meta', 'examples']);
const described = new Set(['description', 'summary', 'example', 'examples']);

function isNoLogic(node: ts.Node): boolean {
  if (ts.isTypeNode(node) || ts.isInterfaceDeclaration(node) || ts.isTypeAliasDeclaration(node)) return true;
  if (ts.isImportDeclaration(node) || ts.isExportDeclaration(node)) return true;
  if (ts.isPropertyAssignment(node)) return described.has(node.name.getText());
  if (ts.isJsxAttribute(node)) return /^(style|className|icon|key)$/.test(node.name.getText());
  if (!ts.isCallExpression(node)) return false;
  const called = node.expression.getText();
  return called === 'fhirRefusal' || /(^|\.)(log|logger|console)\??\.\w+$/.test(called);
}

function changesOf(node: ts.Node, source: ts.SourceFile): Change[] {
  const whole = (operator: Operator, replacement: string | null): Change => ({
    operator,
    start: node.getStart(source),
    end: node.end,
    replacement,
  });
  if (ts.isIfStatement(node) || ts.isWhileStatement(node) || ts.isDoStatement(node))
    return [negated(node.expression, source)];
  if (ts.isConditionalExpression(node)) return [negated(node.condition, source)];
  if (ts.isForStatement(node) && node.condition) return [negated(node.condition, source)];
  if (ts.isBinaryExpression(node)) return ofBinary(node, source);
  if (isDroppedStatement(node)) return [whole('drop a statement', isBranch(node) ? '{}' : '')];
  if (ts.isArrayLiteralExpression(node) && !isAssigned(node)) return ofArray(node, source);
  if (ts.isAwaitExpression(node)) return [whole('drop an await', node.expression.getText(source))];
  if (node.kind === ts.SyntaxKind.TrueKeyword && !isAttribute(node)) return [whole('swap a constant', 'false')];
  if (node.kind === ts.SyntaxKind.FalseKeyword && !isAttribute(node)) return [whole('swap a constant', 'true')];
  if (ts.isNumericLiteral(node) && !isAttribute(node)) return ofNumber(node, source);
  if (ts.isStringLiteral(node) && isValue(node)) return [whole('swap a word', null)];
  if (ts.isTaggedTemplateExpression(node)) return ofTemplate(node, source);
  return [];
}

function negated(condition: ts.Expression, source: ts.SourceFile): Change {
  const text = condition.getText(source);
  const isPlain =
    ts.isIdentifier(condition) || ts.isPropertyAccessExpression(condition) || ts.isCallExpression(condition);
  return {
    operator: 'negate a condition',
    start: condition.getStart(source),
    end: condition.end,
    replacement: isPlain ? `!${text}` : `!(${text})`,
  };
}

const neighbours = new Map<ts.SyntaxKind, string>([
  [ts.SyntaxKind.LessThanToken, '<='],
  [ts.SyntaxKind.LessThanEqualsToken, '<'],
  [ts.SyntaxKind.GreaterThanToken, '>='],
  [ts.SyntaxKind.GreaterThanEqualsToken, '>'],
  [ts.SyntaxKind.EqualsEqualsEqualsToken, '!=='],
  [ts.SyntaxKind.ExclamationEqualsEqualsToken, '==='],
  [ts.SyntaxKind.AmpersandAmpersandToken, '||'],
  [ts.SyntaxKind.BarBarToken, '&&'],
]);

function ofBinary({ left, operatorToken, right }: ts.BinaryExpression, source: ts.SourceFile): Change[] {
  const { kind } = operatorToken;
  const replacement = neighbours.get(kind);
  if (replacement === undefined) return [];
  const isLogical = kind === ts.SyntaxKind.AmpersandAmpersandToken || kind === ts.SyntaxKind.BarBarToken;
  const start = operatorToken.getStart(source);
  const swapped: Change = {
    operator: isLogical ? 'swap a constant' : 'flip a comparison',
    start,
    end: operatorToken.end,
    replacement,
  };
  if (!isLogical) return [swapped];
  const begin = left.getStart(source);
  return [
    swapped,
    { operator: 'drop an operand', start: begin, end: right.getStart(source), replacement: '' },
    { operator: 'drop an operand', start: left.end, end: right.end, replacement: '' },
  ];
}

function isDroppedStatement(node: ts.Node): boolean {
  if (ts.isReturnStatement(node) || ts.isThrowStatement(node)) return true;
  if (!ts.isExpressionStatement(node)) return false;
  const { expression } = node;
  const done = ts.isAwaitExpression(expression) || ts.isVoidExpression(expression) ? expression.expression : expression;
  return (
    (ts.isCallExpression(done) && done.expression.kind !== ts.SyntaxKind.SuperKeyword && !isNoLogic(done)) ||
    ts.isBinaryExpression(done) ||
    ts.isPostfixUnaryExpression(done) ||
    ts.isPrefixUnaryExpression(done) ||
    ts.isDeleteExpression(done)
  );
}

/** Where a statement must stand. */
const isBranch = ({ parent }: ts.Node) =>
  !ts.isBlock(parent) && !ts.isSourceFile(parent) && !ts.isCaseOrDefaultClause(parent);

/** `[one, other] = …` */
function isAssigned(node: ts.ArrayLiteralExpression): boolean {
  const { parent } = node;
  return (
    (ts.isBinaryExpression(parent) &&
      parent.left === node &&
      parent.operatorToken.kind === ts.SyntaxKind.EqualsToken) ||
    (ts.isForOfStatement(parent) && parent.initializer === node)
  );
}

function ofArray({ elements }: ts.ArrayLiteralExpression, source: ts.SourceFile): Change[] {
  return elements.map((element, index) => {
    const next = elements[index + 1];
    const before = elements[index - 1];
    const start = next || !before ? element.getStart(source) : before.end;
    return { operator: 'drop an element', start, end: next ? next.getStart(source) : element.end, replacement: '' };
  });
}

/** A greater one is a duration or a size that was chosen: its neighbour is as right. So is a duration of fewer milliseconds. */
const MAX_NUMBER = 999;
const isInMilliseconds = ({ parent }: ts.NumericLiteral) =>
  ts.isVariableDeclaration(parent) && /(_MS|Ms)$/.test(parent.name.getText());

function ofNumber(node: ts.NumericLiteral, source: ts.SourceFile): Change[] {
  const value = Number(node.text);
  const { parent } = node;
  const isNameOrWidth = ts.isPropertyAssignment(parent) && isOwnNameOrWidth(parent, node);
  if (value > MAX_NUMBER || isInMilliseconds(node) || isNameOrWidth) return [];
  const replacement = String(value + 1);
  return [{ operator: 'swap a constant', start: node.getStart(source), end: node.end, replacement }];
}

/** Its own number, or how wide a column is. */
const isOwnNameOrWidth = ({ name }: ts.PropertyAssignment, node: ts.Node) =>
  name === node || name.getText() === 'width';

/** What a property of an element is set to, also by the width of the screen: how it looks. */
function isAttribute(node: ts.Node): boolean {
  const { parent } = ts.isPrefixUnaryExpression(node.parent) ? node.parent : node;
  const isByWidth = ts.isPropertyAssignment(parent) && /^(base|xs|sm|md|lg|xl)$/.test(parent.name.getText());
  const set = isByWidth ? parent.parent.parent : parent;
  return ts.isJsxExpression(set) && ts.isJsxAttribute(set.parent);
}

function isValue(node: ts.StringLiteral): boolean {
  const { parent } = node;
  if (ts.isJsxAttribute(parent) || isAttribute(node) || ts.isExternalModuleReference(parent)) return false;
  const isName = (ts.isPropertyAssignment(parent) || ts.isPropertyDeclaration(parent)) && parent.name === node;
  const isExplained =
    ts.isCallExpression(parent) &&
    ts.isPropertyAccessExpression(parent.expression) &&
    explaining.has(parent.expression.name.text);
  return !isName && !isExplained;
}

function ofTemplate({ tag, template }: ts.TaggedTemplateExpression, source: ts.SourceFile): Change[] {
  if (!/(^|\.)(sql|tx|condition)$/.test(tag.getText(source).replace(/<[\s\S]*>$/, ''))) return [];
  const start = template.getStart(source) + 1;
  const end = template.end - 1;
  const holes = ts.isNoSubstitutionTemplateLiteral(template)
    ? []
    : template.templateSpans.map(({ expression, literal }) => ({
        start: source.text.lastIndexOf('${', expression.getStart(source)) - start,
        end: literal.getStart(source) + 1 - start,
      }));
  return sqlMutants(source.text.slice(start, end), holes).map((change) => ({
    ...change,
    start: start + change.start,
    end: start + change.end,
  }));
}
