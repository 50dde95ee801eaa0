import { afterAll, expect, test } from 'bun:test'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

const folder = mkdtempSync(join(tmpdir(), 'tollgate-new-file-'))
afterAll(() => rmSync(folder, { recursive: true }))

const opener = join(import.meta.dir, '../../support/sqlite/open-new-file.ts')
const paths = Array.from({ length: 40 }, (_, index) => join(folder, `${index}.db`))
const startMs = 300
const stepMs = 20

/** Like two replicas that are started together. The race occurs in about one of three files, so the test uses many. */
test('processes that create the same file at the same time can all open it', async () => {
  const moments = [String(Date.now() + startMs), String(stepMs)]
  const children = [1, 2].map(() =>
    Bun.spawn([process.execPath, opener, ...moments, ...paths], { stderr: 'pipe' }),
  )
  const ends = await Promise.all(
    children.map(async (child) => [await new Response(child.stderr).text(), await child.exited]),
  )
  expect(ends).toEqual([
    ['', 0],
    ['', 0],
  ])
})
