import ts from 'typescript';

/** Lines that hold code: no comments, no blanks. */
export function linesOfCode(text: string, file = 'a.ts'): number {
  const source = ts.createSourceFile(file, text, ts.ScriptTarget.Latest, true);
  const lines = new Set<number>();
  const visit = (node: ts.Node): void => {
    if (ts.isJSDoc(node)) return;
    const children = node.getChildren(source);
    if (children.length > 0) return children.forEach(visit);
    if (node.getStart(source) === node.end) return;
    const last = source.getLineAndCharacterOfPosition(node.end).line;
    for (let n = source.getLineAndCharacterOfPosition(node.getStart(source)).line; n <= last; n += 1) lines.add(n);
  };
  visit(source);
  return lines.size;
}
