import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { writeFileSync } from 'node:fs'
import { commands } from '../../../src/cli/command-list.ts'
import {
  type FakeUpstream,
  startFakeUpstream,
} from '../../support/fake-upstream/start-fake-upstream.ts'
import { missingPart } from '../../support/missing-part.ts'
import { type FreshDatabase, freshDatabase } from '../../support/postgres/fresh-database.ts'
import { cleanUpAfterwards } from '../../support/process/tollgate-process.ts'
import { makeWorkspace } from '../../support/process/workspace.ts'
import { terminalIn } from '../../unit/cli/run-line.ts'
import { type BothSides, effectsOf, normalised, openBothSides, type Side } from './both-ways.ts'
import { commandSteps, type Step } from './command-steps.ts'

cleanUpAfterwards()

/**
 * The output of these commands depends on the process or its machine, so each has its own test below. Commands that
 * work only locally refuse --url; their own tests cover this.
 */
const ofTheProcess = ['config', 'doctor', 'apply']

test('the table has every command', () => {
  const covered = commands.filter(
    ({ name, onlyHere }) =>
      onlyHere !== undefined ||
      ofTheProcess.includes(name) ||
      commandSteps.some(({ line }) => line === name || line.startsWith(`${name} `)),
  )
  expect(commands.filter((each) => !covered.includes(each)).map(({ name }) => name)).toEqual([])
})

let upstream: FakeUpstream
beforeAll(async () => {
  upstream = await startFakeUpstream()
})
afterAll(() => upstream.stop())

async function take(side: Side, step: Step) {
  await step.before?.(side)
  const filled = step.line.replace(/<(\w+)>/g, (_, name: string) => side.told.get(name) ?? name)
  const extra = side.name === 'here' && step.here !== undefined ? ` ${step.here}` : ''
  const said = await side.run(filled + extra)
  const [name, found] = step.keep ?? []
  const kept = found?.exec(said.out)?.[1]
  if (name !== undefined && kept !== undefined) side.told.set(name, kept)
  const text = said.out + said.err
  if (step.says)
    expect([side.name, step.line, text]).toEqual([
      side.name,
      step.line,
      expect.stringMatching(step.says),
    ])
  const out = step.line.startsWith('export')
    ? inOneOrder(normalised(said.out))
    : normalised(said.out)
  return { code: said.code, out, err: normalised(said.err) }
}

/** Sorts an export, which is in the order of ids that each side has generated. */
function inOneOrder(text: string): string {
  return text
    .split(/(?=^ *- id: |^\{"id":)/m)
    .map((entry) => entry.replace(/[\s\],}]+$/, ''))
    .toSorted()
    .join('\n')
}

async function compare(sides: BothSides, chosen: readonly Step[]): Promise<void> {
  for (const step of chosen) {
    const here = await take(sides.here, step)
    const there = await take(sides.there, step)
    expect([step.line, here.code]).toEqual([step.line, step.code ?? 0])
    expect([step.line, there]).toEqual([step.line, here])
  }
}

describe('every command, local and remote', () => {
  let sides: BothSides
  beforeAll(async () => {
    sides = await openBothSides(upstream.url)
  })

  test('has the same output, effect and exit code', async () => {
    await compare(sides, commandSteps)
    const [here, hereActors] = await effectsOf(sides.here)
    const [there, thereActors] = await effectsOf(sides.there)
    expect(there).toBe(here ?? '')
    expect(hereActors).toBe('cli')
    // The first token was made on the gateway's machine.
    expect(thereActors).toBe('cli token:tok_ID')
  }, 300_000)

  test('serve rejects --url and ignores TOLLGATE_URL', async () => {
    const said = await sides.there.run('serve')
    expect([said.code, said.out]).toEqual([2, ''])
    expect(said.err).toContain('"tollgate serve" starts a gateway on this machine')
    const led = await terminalIn(sides.here.workspace.folder).run('serve', {
      env: { TOLLGATE_URL: sides.gateway.url, TOLLGATE_TOKEN: sides.token },
      serve: async ({ config: { listen } }) => (listen.port === 0 ? 7 : 1),
    })
    expect(led).toEqual({ code: 7, out: '', err: '' })
  })

  test.each(['migrate --dry-run', 'backup kept.tgb', 'restore missing.tgb', 'secret rotate'])(
    '%s works on this machine and says so if TOLLGATE_URL names another',
    async (line) => {
      const fresh = sides.here.workspace.folder
      const note =
        'tollgate: This command works on this machine, not on the gateway that TOLLGATE_URL names.\n'
      const led = await terminalIn(fresh).run(line, { env: { TOLLGATE_URL: sides.gateway.url } })
      expect(led.err).toStartWith(note)
      const plain = await terminalIn(fresh).run(line, { env: { TOLLGATE_URL: '' } })
      expect(plain.err).not.toContain('TOLLGATE_URL')
    },
  )

  test('config shows the settings of the remote gateway', async () => {
    const { code, out } = await sides.there.run('config')
    expect(code).toBe(0)
    expect(out).toStartWith(`# gateway ${sides.gateway.url}, version `)
    expect(out).toMatch(/^listen: +127\.0\.0\.1:0 +# tollgate\.yaml:\d+$/m)
  })

  test('doctor checks the connection, the token and the state that the gateway reports', async () => {
    const { code, out } = await sides.there.run('doctor')
    // The unreadable line is still there.
    expect(code).toBe(1)
    expect(out).toMatch(/^ok +gateway +http:\S+ answers/m)
    expect(out).toMatch(/^ok +tls +not used, and not needed/m)
    expect(out).toMatch(/^warn +version +the gateway is \S+ and this command 1\.2\.3/m)
    expect(out).toMatch(/^ok +clock +agrees with the gateway$/m)
    expect(out).toMatch(
      /^ok +token +"remote-hand" \(tok_\w+\) has the scope all, and never expires$/m,
    )
    expect(out).toMatch(/^ok +processes +1 running$/m)
    expect(out).toMatch(/^fail +journal +/m)
  })

  test('apply reads the local file and its variables, and prints the same as on the gateway’s machine', async () => {
    const folder = makeWorkspace({
      provision: {
        models: [{ id: 'of-two', price: { input: 1, output: 2 } }],
        upstreams: [
          {
            id: 'two',
            vendor: 'openai-compatible',
            baseUrl: 'http://127.0.0.1:1/v1',
            credential: 'env:SECRET_OF_TWO',
            models: ['of-two'],
          },
        ],
        accounts: [{ id: 'applied', name: 'env:SECRET_OF_NOBODY', credit: 3 }],
      },
    })
    const env = { SECRET_OF_TWO: 'secret-of-two-0123456789' }
    const given = (flags: string, more: Record<string, string>) =>
      terminalIn(folder.folder).run(`apply${flags}`, { env: { ...env, ...more } })
    const remote = { TOLLGATE_URL: sides.gateway.url, TOLLGATE_TOKEN: sides.token }
    const done =
      /^provision: 1 model \(1 created\), 1 upstream \(1 created\), 1 account \(1 created\)\n$/
    const dry = await given(' --dry-run', remote)
    expect([dry.err, dry.out]).toEqual([
      '',
      expect.stringMatching(
        /^provision: .*1 account \(1 created\); nothing was changed\n {2}would create model of-two\n {2}would create upstream two\n {2}would create account applied\n$/,
      ),
    ])
    expect((await sides.there.run('accounts list')).out).not.toContain('applied')
    const there = await given('', remote)
    const here = await given('', {})
    expect([there.code, there.out]).toEqual([0, expect.stringMatching(done)])
    expect(there).toEqual(here)
    expect((await given('', remote)).out).toContain('1 account (1 unchanged)')
    const listed = await sides.there.run('upstreams list --json')
    expect(listed.out).toContain('sec...6789')
    // A field that is not a secret is not treated as a reference.
    expect((await sides.there.run('accounts list')).out).toMatch(
      /^applied +env:SECRET_OF_NOBODY +3/m,
    )
    const unset = await terminalIn(folder.folder).run('apply', { env: remote })
    expect(unset.code).toBe(1)
    expect(unset.err).toMatch(/tollgate\.yaml:\d+: .*SECRET_OF_TWO, which is not set; set it/)
  }, 60_000)

  test('applying an export changes nothing', async () => {
    for (const side of [sides.here, sides.there]) {
      const { out } = await side.run('export')
      expect(out).not.toContain('sk-upstream-0123456789abcdef')
      const path = side.workspace.path('exported.yaml')
      writeFileSync(path, out)
      const applied = await side.run(`apply --config ${path}`)
      expect([side.name, applied.code, applied.err]).toEqual([side.name, 0, ''])
      expect(applied.out).toMatch(/unchanged/)
      expect(applied.out).not.toMatch(/\d (created|changed)/)
    }
  }, 60_000)

  test('no output contains the token', () => {
    expect(sides.token).toStartWith('tgat_')
    expect(sides.printed()).not.toContain(sides.token)
  })
})

const firstSteps = commandSteps.filter(({ line }) =>
  /^(accounts|keys|tokens|recordings|audit|ledger)\b/.test(line),
)
if (process.env['TEST_POSTGRES_URL'] === undefined) {
  missingPart('commands for a gateway on Postgres', 'TEST_POSTGRES_URL is not set')
} else {
  describe('the same on Postgres', () => {
    const databases: FreshDatabase[] = []
    afterAll(async () => {
      for (const database of databases) await database.drop()
    })

    test('has the same output, effect and exit code', async () => {
      const [here, there] = [await freshDatabase(), await freshDatabase()]
      databases.push(here, there)
      const sides = await openBothSides(upstream.url, { here: here.url, there: there.url })
      await compare(sides, firstSteps)
      expect((await effectsOf(sides.there))[0]).toBe((await effectsOf(sides.here))[0] ?? '')
      sides.gateway.signal('SIGKILL')
      await sides.gateway.exited
    }, 300_000)
  })
}
