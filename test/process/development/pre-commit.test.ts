import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import {
  appendFileSync,
  cpSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { patience } from '../../support/patience.ts'

const root = join(import.meta.dirname, '..', '..', '..')
const folder = mkdtempSync(join(tmpdir(), 'tollgate-hook-'))
const owners = ['accounts', 'keys', 'catalog', 'ledger', 'admin-tokens']
const limitMs = patience(120_000)
const path = (name: string) => join(folder, name)
const text = (name: string) => readFileSync(path(name), 'utf8')

// A hook runs inside a git process, which sets variables that point to its own repository.
const env = Object.fromEntries(
  Object.entries(process.env).filter(([name]) => !name.startsWith('GIT_')),
)

async function git(...words: string[]): Promise<{ code: number; output: string }> {
  const named = ['-c', 'user.name=Test', '-c', 'user.email=test@example.com']
  const child = Bun.spawn(['git', ...named, ...words], {
    cwd: folder,
    env,
    stdout: 'pipe',
    stderr: 'pipe',
  })
  const [out, err, code] = await Promise.all([
    child.stdout.text(),
    child.stderr.text(),
    child.exited,
  ])
  return { code, output: out + err }
}

describe('the pre-commit hook', () => {
  beforeAll(async () => {
    // Only the files that tidy imports: Biome reads the whole project for each file that it checks.
    const modules = ['config', 'core', 'fields', 'protocols', 'vendors', 'wire']
    const sources = [...modules, ...owners.map((owner) => `${owner}/definition`)]
    const copied = [
      'tools',
      'biome.json',
      '.oxlintrc.json',
      'package.json',
      'tsconfig.json',
    ].concat(sources.map((name) => `src/${name}`))
    for (const part of copied) cpSync(join(root, part), path(part), { recursive: true })
    symlinkSync(join(root, 'node_modules'), path('node_modules'))
    writeFileSync(path('.gitignore'), 'node_modules\n')
    await git('init', '--quiet')
    await git('add', '--all')
    expect((await git('commit', '--quiet', '--message', 'start')).code).toBe(0)
    expect((await git('config', 'core.hooksPath', 'tools/hooks')).code).toBe(0)
  }, limitMs)
  afterAll(() => rmSync(folder, { recursive: true, force: true }))

  test(
    'formats staged files before the commit and leaves other files unchanged',
    async () => {
      writeFileSync(path('src/core/staged.ts'), 'export const  one = "1";\n')
      writeFileSync(path('src/core/other.ts'), 'export const  two = "2";\n')
      await git('add', 'src/core/staged.ts')
      const { code, output } = await git('commit', '--message', 'one')
      expect(code, output).toBe(0)
      expect((await git('show', 'HEAD:src/core/staged.ts')).output).toBe("export const one = '1'\n")
      expect(text('src/core/other.ts')).toBe('export const  two = "2";\n')
      rmSync(path('src/core/other.ts'))
    },
    limitMs,
  )

  test(
    'only checks a partly staged file, and commits only the staged part',
    async () => {
      appendFileSync(path('src/core/staged.ts'), "export const three = '3'\n")
      await git('add', 'src/core/staged.ts')
      appendFileSync(path('src/core/staged.ts'), "export const four = '4'\n")
      const { code, output } = await git('commit', '--message', 'three')
      expect(code, output).toBe(0)
      const committed = (await git('show', 'HEAD:src/core/staged.ts')).output
      expect(committed).toContain('three')
      expect(committed).not.toContain('four')
      expect(text('src/core/staged.ts')).toContain('four')
      await git('checkout', '--', 'src/core/staged.ts')
    },
    limitMs,
  )

  test(
    'checks the staged text of a partly staged file, not the working copy',
    async () => {
      writeFileSync(path('src/core/partial.ts'), 'export const  five = "5";\n')
      await git('add', 'src/core/partial.ts')
      writeFileSync(path('src/core/partial.ts'), "export const five = '5'\n")
      const { code, output } = await git('commit', '--message', 'five')
      expect(code).not.toBe(0)
      expect(output).toContain('src/core/partial.ts: the staged text is not formatted')
      expect((await git('show', ':src/core/partial.ts')).output).toContain('const  five')
      await git('rm', '--force', '--quiet', 'src/core/partial.ts')
    },
    limitMs,
  )

  test(
    'stops a commit with findings of Biome or tidy',
    async () => {
      writeFileSync(path('src/core/wrong.ts'), 'export const a: any = JSON.parse("1")\n')
      await git('add', 'src/core/wrong.ts')
      const before = (await git('rev-parse', 'HEAD')).output
      const { code, output } = await git('commit', '--message', 'wrong')
      expect(code).not.toBe(0)
      for (const finding of ['noExplicitAny', 'json-parse', 'The commit was stopped'])
        expect(output).toContain(finding)
      expect((await git('rev-parse', 'HEAD')).output).toBe(before)
      await git('rm', '--force', '--quiet', 'src/core/wrong.ts')
    },
    limitMs,
  )

  test(
    'stops a commit if tidy itself cannot run',
    async () => {
      writeFileSync(path('src/core/fine.ts'), "export const fine = 'six'\n")
      writeFileSync(path('tools/tidy/tidy.ts'), '')
      await git('add', 'src/core/fine.ts')
      const { code, output } = await git('commit', '--message', 'six')
      expect(code).not.toBe(0)
      expect(output).toContain('tidy could not run')
    },
    limitMs,
  )
})
