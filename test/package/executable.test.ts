import { beforeAll, describe, expect, test } from 'bun:test'
import { createHash } from 'node:crypto'
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { commands } from '../../src/cli/command-list.ts'
import { eventually } from '../support/eventually.ts'
import { missingPart } from '../support/missing-part.ts'
import { freshDatabase } from '../support/postgres/fresh-database.ts'
import { postgresServerUrl } from '../support/postgres/postgres-server-url.ts'
import {
  ask,
  buildPackage,
  builtPackage,
  cleanUpPackages,
  emptyFolder,
  hostTarget,
  run,
  start,
} from './packaged-gateway.ts'

cleanUpPackages()

const hashOf = (file: string) => createHash('sha256').update(readFileSync(file)).digest('hex')
const listen = ['--listen', '127.0.0.1:0']

function describeExecutable(target: string): void {
  let folder = ''
  let file = ''
  beforeAll(async () => {
    folder = await builtPackage(target)
    file = join(folder, `tollgate-${target}`)
  })

  test('the folder has the executable, its components, their licences and the hashes of all', () => {
    const names = ['SHA256SUMS', 'THIRD-PARTY-LICENSES.txt', 'sbom.cdx.json', `tollgate-${target}`]
    expect(readdirSync(folder).sort()).toEqual(names)
    const sums = readFileSync(join(folder, 'SHA256SUMS'), 'utf8')
    expect(sums).toContain(`${hashOf(file)}  tollgate-${target}\n`)
    const { components } = JSON.parse(readFileSync(join(folder, 'sbom.cdx.json'), 'utf8'))
    const listed = components.map(({ name }: { name: string }) => name)
    expect(listed).toContain('bun')
    expect(listed).toContain('hono')
    expect(listed).toContain('react')
    expect(listed).toContain('tabler')
    expect(listed).not.toContain('typescript')
    const licenses = readFileSync(join(folder, 'THIRD-PARTY-LICENSES.txt'), 'utf8')
    expect(licenses).toMatch(/^@iconify-json\/tabler [\d.]+\nMIT\n=+\n\n.*Tabler Icons/m)
    expect(licenses).toContain('Copyright (c) 2020-2026 Paweł Kuna')
  })

  test('a second build has the same bytes', async () => {
    const again = await buildPackage(target)
    for (const name of readdirSync(folder)) {
      expect([name, hashOf(join(again, name))]).toEqual([name, hashOf(join(folder, name))])
    }
  })

  test('version, and the help of every command', async () => {
    const cwd = emptyFolder()
    const said = await run({ words: [file, '--version'], cwd })
    expect(said.out).toMatch(/^tollgate \d+\.\d+\.\d+\+[0-9a-f]{12}(?:\.dirty)?\n$/)
    const { out } = await run({ words: [file, 'help'], cwd })
    for (const { name } of commands) expect(out).toContain(`\n  ${name}`)
    expect(readdirSync(cwd)).toEqual([])
  })

  test('it serves in an empty folder, survives kill -9, and the ledger balances', async () => {
    const cwd = emptyFolder()
    // Files of another program in the working directory must not change this one.
    writeFileSync(join(cwd, 'bunfig.toml'), 'preload = ["./evil.ts"]\n')
    writeFileSync(join(cwd, 'evil.ts'), 'process.exit(86)\n')
    writeFileSync(join(cwd, '.env'), 'TOLLGATE_BRAND=stray\n')
    const first = await start({ words: [file, 'serve', ...listen], cwd })
    const answer = await ask(first.url, first.key)
    expect(answer.status).toBe(200)
    expect(await answer.text()).toContain('built-in demo model')
    expect(answer.headers.get('x-gateway-cost')).not.toBeNull()
    await checkConsole(first.url)
    first.kill('SIGKILL')
    await first.exited
    const second = await start({ words: [file, 'serve', ...listen], cwd })
    expect((await ask(second.url, first.key)).status).toBe(200)
    const health = await run({ words: [file, 'health', '--listen', new URL(second.url).host], cwd })
    expect([health.code, health.out]).toEqual([0, 'ready\n'])
    second.kill('SIGTERM')
    expect(await second.exited).toBe(0)
    const audit = await run({ words: [file, 'audit'], cwd })
    expect([audit.code, audit.err]).toEqual([0, ''])
  })

  if (process.platform === 'linux') {
    test('serve replaces itself once, so that Bun reads its variables, and keeps its process id', async () => {
      const { pid, kill, exited } = await start({
        words: [file, 'serve', ...listen],
        cwd: emptyFolder(),
      })
      const environment = readFileSync(`/proc/${pid}/environ`, 'utf8').split('\0')
      expect(environment).toContain('BUN_CONFIG_MAX_HTTP_REQUESTS=65535')
      kill('SIGTERM')
      expect(await exited).toBe(0)
    })
  }

  const server = postgresServerUrl('the executable on Postgres')
  if (server !== undefined) {
    test('it serves with two workers on Postgres, and the ledger balances', async () => {
      const cwd = emptyFolder()
      const database = await freshDatabase()
      const env = { TOLLGATE_DATABASE: database.url }
      const words = [file, 'serve', ...listen, '--workers', '2']
      const gateway = await start({ words, cwd, env })
      expect((await ask(gateway.url, gateway.key)).status).toBe(200)
      gateway.kill('SIGTERM')
      expect(await gateway.exited).toBe(0)
      const audit = await run({ words: [file, 'audit'], cwd, env })
      expect([audit.code, audit.err]).toEqual([0, ''])
      await database.drop()
    })
  }
}

/** The page and every file that it names come from inside the executable. */
async function checkConsole(url: string): Promise<void> {
  const page = await eventually('the console', async () => {
    const reply = await fetch(`${url}/console/`)
    return reply.status === 200 ? reply.text() : undefined
  })
  const named = [...page.matchAll(/(?:src|href)="([^"]+)"/g)].map((match) => match[1] ?? '')
  expect(named.length).toBeGreaterThan(2)
  for (const path of named) {
    const reply = await fetch(new URL(path, `${url}/console/`))
    expect([path, reply.status]).toEqual([path, 200])
    await reply.arrayBuffer()
  }
}

const target = hostTarget
if (target === undefined) missingPart('package executable', 'no executable for this system')
else describe(`the executable of ${target}`, () => describeExecutable(target))
