import { expect, test } from 'bun:test'
import { join } from 'node:path'

const root = join(import.meta.dir, '..', '..', '..')
const anyFile = 'test/unit/tools/count-tests.test.ts'

async function runTests(...words: string[]) {
  const command = ['node', join(root, 'tools', 'test.mjs'), ...words]
  const child = Bun.spawn(command, { cwd: root, stdout: 'pipe', stderr: 'pipe' })
  const [out, problems] = await Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
  ])
  return { code: await child.exited, text: out + problems }
}

test.each([
  ['a name that matches no test', ['unit', anyFile, '--name', 'no such test']],
  ['a path that matches no test file', ['unit', 'test/unit/no-such-file']],
])('%s is a mistake, not a run without failures', async (_, words) => {
  const { code, text } = await runTests(...words)
  expect(text).toContain('No test matches')
  expect(text).not.toContain('0 failed')
  expect(code).toBe(1)
})

test('a name that matches one test runs that test', async () => {
  const { code, text } = await runTests('unit', anyFile, '--name', 'Bun crashed')
  expect(text.trimEnd().split('\n').at(-1)).toBe('1 passed, 0 failed')
  expect(code).toBe(0)
})
