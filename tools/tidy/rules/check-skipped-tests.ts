import type { Finding } from '../finding.ts'
import type { SourceFile } from '../source-file.ts'
import type { SyntaxNode } from '../syntax-node.ts'
import { everyNode, isSyntaxNode, nameOf } from '../syntax-node.ts'

const testFunctions = new Set(['test', 'it', 'describe'])
const disabledFunctions = new Set(['xtest', 'xit', 'xdescribe', 'fit', 'fdescribe'])
const leavingOut = new Set([
  'skip',
  'only',
  'todo',
  'if',
  'skipIf',
  'todoIf',
  'onlyIf',
  'failing',
  'concurrentIf',
])

export function checkSkippedTests(file: SourceFile): Finding[] {
  if (!file.path.startsWith('test/')) return []
  const message =
    'a test is skipped here. Every test runs everywhere; if a machine lacks a program, report it with ' +
    'missingPart() of test/support/missing-part.ts, which fails in CI.'
  return everyNode(file.program)
    .filter(leavesOut)
    .map(({ start }) => ({
      path: file.path,
      line: file.lineAt(start),
      rule: 'skipped-test',
      message,
    }))
}

function leavesOut(node: SyntaxNode): boolean {
  if (node.type === 'CallExpression') return disabledFunctions.has(nameOf(node['callee']) ?? '')
  if (node.type !== 'MemberExpression') return false
  return leavingOut.has(nameOf(node['property']) ?? '') && startsAtTest(node['object'])
}

/** Follows `test.concurrent.skip` and `test.each(rows).skip` down to their first word. */
function startsAtTest(value: unknown): boolean {
  if (!isSyntaxNode(value)) return false
  if (testFunctions.has(nameOf(value) ?? '')) return true
  return startsAtTest(value['object'] ?? value['callee'])
}
