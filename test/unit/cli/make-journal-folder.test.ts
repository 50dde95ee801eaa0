import { expect, test } from 'bun:test'
import { mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseProblem } from '../../../src/app/database/database-problem.ts'
import { makeJournalFolder } from '../../../src/app/node/make-journal-folder.ts'

test('the folder is created for its owner only, and found again; for a file in its place the error is one sentence', () => {
  const root = mkdtempSync(join(tmpdir(), 'tollgate-journal-'))
  try {
    const data = join(root, 'data')
    expect(makeJournalFolder({ data })).toBe(join(data, 'journal'))
    expect(statSync(join(data, 'journal')).mode & 0o777).toBe(0o700)
    expect(makeJournalFolder({ data })).toBe(join(data, 'journal'))
    const file = join(root, 'file')
    writeFileSync(file, '')
    const below = join(file, 'below')
    expect(() => makeJournalFolder({ data: below })).toThrow(
      new DatabaseProblem(
        `The data folder ${below} cannot be created, because a part of its path is a file; name another with --data.`,
      ),
    )
  } finally {
    rmSync(root, { recursive: true, force: true })
  }
})
