import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { mkdirSync, writeFileSync } from 'node:fs'
import { commands } from '../../src/cli/command-list.ts'
import {
  type FakeUpstream,
  startFakeUpstream,
} from '../support/fake-upstream/start-fake-upstream.ts'
import { missingPart } from '../support/missing-part.ts'
import { type FreshDatabase, freshDatabase } from '../support/postgres/fresh-database.ts'
import { terminalIn } from '../unit/cli/run-line.ts'
import {
  addMember,
  type BothSides,
  effectsOf,
  endMembership,
  normalised,
  openBothSides,
  type Side,
  setRecordsAside,
  stopAccount,
} from './both-ways.ts'
import { cleanUpAfterwards } from './tollgate-process.ts'
import { makeWorkspace } from './workspace.ts'

cleanUpAfterwards()

interface Step {
  /** `<name>` stands for what an earlier step has told. */
  readonly line: string
  readonly code?: number
  /** What the text must say, on both sides. */
  readonly says?: RegExp
  /** Keeps what the first group finds, for later steps. */
  readonly keep?: readonly [name: string, found: RegExp]
  /** What only the command of this machine needs to hear. */
  readonly here?: string
  readonly before?: (side: Side) => void | Promise<void>
}

const steps: readonly Step[] = [
  { line: 'accounts create beta --name Beta --credit 5.5', says: /created with 5.50 US\$/ },
  { line: 'accounts create beta', code: 1, says: /The account "beta" already exists/ },
  { line: 'accounts create gamma', says: /0.00 US\$/ },
  { line: 'accounts credit beta 4.500000001 --reason gift --id inv-7', says: /10.000000001/ },
  {
    line: 'accounts credit beta 4.500000001 --reason gift --id inv-7',
    says: /already exists; nothing was added/,
  },
  { line: 'accounts credit beta 1', says: /11.000000001 US\$ available/ },
  { line: 'accounts credit nope 1', code: 1, says: /There is no account "nope"; create it/ },
  { line: 'accounts correct beta 1 --reason typo --id fix-1 --yes', says: /deducted from beta/ },
  {
    line: 'accounts correct beta 1 --reason typo --id fix-1 --yes',
    says: /already exists; nothing was taken/,
  },
  { line: 'accounts correct beta 99 --reason typo --yes', code: 1, says: /cannot be deducted/ },
  { line: 'accounts correct beta 1 --reason typo', code: 2, says: /repeat the command with --yes/ },
  { line: 'accounts reverse beta inv-7 --yes', says: /of 4.500000001 US\$ is reversed/ },
  { line: 'accounts reverse beta inv-7 --yes', says: /is already reversed; nothing changed/ },
  { line: 'accounts reverse beta nope --yes', code: 1, says: /has no credit "nope"/ },
  { line: 'accounts reverse nope inv-7 --yes', code: 1, says: /There is no account "nope"/ },
  { line: 'accounts suspend beta', says: /is suspended/ },
  { line: 'accounts suspend beta', says: /was suspended already/ },
  { line: 'accounts resume beta', says: /is active/ },
  { line: 'accounts resume nope', code: 1, says: /There is no account "nope"; see/ },
  { line: 'accounts list', says: /^beta +Beta +5.50 +active$/m },
  { line: 'accounts list --json', says: /"available": "5.50"/ },

  {
    line: 'keys create --account beta --name ci --model gpt-x --quota 5 --expires 2099-01-01 --address ::1',
    keep: ['key', /^id +(\S+)$/m],
  },
  { line: 'keys list --account beta --json', says: /"name": "ci"/ },
  { line: 'keys create --account beta --name own --value brought-along-0123456789' },
  {
    line: 'keys create --account beta --name own --value brought-along-0123456789',
    code: 1,
    says: /already has this value/,
  },
  { line: 'keys create --account nope --name n', code: 1, says: /There is no account "nope"/ },
  {
    line: 'keys create --account beta --name n --group gold',
    code: 1,
    says: /There is no group "gold"/,
  },
  { line: 'keys create --account beta', code: 2, says: /needs --name/ },
  { line: 'keys reveal <key>', says: /^sk-\w{48}$/m },
  { line: 'keys reveal nope', code: 1, says: /There is no key "nope"/ },
  { line: 'keys disable <key>', says: /is disabled/ },
  { line: 'keys disable <key>', says: /was disabled already/ },
  { line: 'keys enable <key>', says: /is enabled/ },
  { line: 'keys enable nope', code: 1, says: /There is no key "nope"/ },
  {
    line: 'keys create --account beta --name hers --owner lee@example.com',
    before: (side) => addMember(side, 'beta', 'lee@example.com'),
    says: /^value +shown only to lee@example.com, in the console$/m,
    keep: ['hers', /^id +(\S+)$/m],
  },
  { line: 'keys reveal <hers>', code: 1, says: /Only that user can see, replace or use its value/ },
  { line: 'keys convert <hers>', code: 1, says: /is an active member of the account/ },
  {
    line: 'keys convert <hers>',
    before: (side) => endMembership(side, 'beta'),
    says: /^value +sk-\w{48}$/m,
  },
  { line: 'keys convert <hers>', code: 1, says: /is a service key already/ },
  { line: 'keys reveal <hers>', says: /^sk-\w{48}$/m },
  { line: 'keys convert nope', code: 1, says: /There is no key "nope"/ },
  { line: 'keys list --account acme', says: /laptop/ },
  { line: 'keys list --account nope', says: /There are no keys/ },

  {
    line: 'members limit acme ann@example.com --daily 5 --budget-zone Europe/Paris --concurrent-requests 2',
    says: /^budgets of ann@example.com in acme: day 0.00\/5.00$/m,
  },
  { line: 'members limit acme ann@example.com', code: 2, says: /needs at least one option/ },
  { line: 'members limit acme bob@example.com --daily 5', code: 1, says: /has no member/ },
  { line: 'members list acme', says: /^ann@example.com +member +day 0.00\/5.00 +2 at once$/m },
  { line: 'members list acme --json', says: /"remaining": "5.00"/ },
  { line: 'members list nope', code: 1, says: /There is no account "nope"/ },

  {
    line: 'tokens create --name deploy --scope keys --account beta --expires 2099-01-01',
    keep: ['token', /^id +(\S+)$/m],
  },
  { line: 'tokens create --name n --scope all --account nope', code: 1, says: /no account "nope"/ },
  {
    line: 'tokens create --name n --scope all --expires 2020-01-01',
    code: 1,
    says: /in the future/,
  },
  { line: 'tokens list --account beta', says: /deploy/ },
  { line: 'tokens revoke <token>', says: /is revoked/ },
  { line: 'tokens revoke <token>', says: /was already revoked/ },
  { line: 'tokens revoke nope', code: 1, says: /There is no token "nope"/ },
  { line: 'tokens list --account beta --json', says: /"revoked": "20/ },

  {
    line: 'alerts create --name ops --channel slack --webhook-url http://127.0.0.1:9/x --kind upstream_down --kind credit_low --credit-below 20',
    keep: ['alert', /^id +(\S+)$/m],
  },
  { line: 'alerts list', says: /ops +gateway +slack +127.0.0.1:9 +/ },
  { line: 'alerts test <alert>', code: 1, says: /not at a public address/ },
  { line: 'alerts delete <alert>', says: /is deleted/ },
  { line: 'alerts delete <alert>', code: 1, says: /There is no alert/ },

  { line: 'upstreams list', says: /^one +openai-compatible +chat-completions .* 1 +on$/m },
  { line: 'upstreams list --json', says: /"models": 1/ },
  { line: 'upstreams test one', says: /^ok {3}chat-completions gpt-x/m },
  { line: 'upstreams test one --model gpt-x --json', says: /"status": 200/ },
  { line: 'upstreams test onne', code: 1, says: /did you mean "one"\?/ },

  { line: 'export', says: /^provision:\n {2}groups:\n {4}- id: "?default"?$/m },
  { line: 'export --json', says: /"accounts": \[/ },

  { line: 'audit', says: /Every charge is accounted for/ },
  { line: 'audit --json', says: /"inOrder": true/ },
  { line: 'audit --account beta', says: /The lines add up to the last nano/ },
  { line: 'audit --account beta --from 2026-01-01 --by key --json', says: /"addsUp": true/ },
  { line: 'audit --account nope', code: 1, says: /There is no account "nope"/ },
  { line: 'audit --release beta', code: 1, says: /has not stopped/ },
  {
    line: 'audit --release beta',
    says: /gets leases again/,
    before: (side) => stopAccount(side, 'beta'),
  },
  { line: 'ledger replay', says: /^0 records are in the database now\n$/ },
  {
    line: 'ledger replay',
    code: 1,
    says: /^1 record is in the database now\n1 record is still rejected and stays in refused.log\n$/,
    before: setRecordsAside,
  },
  { line: 'accounts list --json', says: /"available": "5.499999993"/ },
  // What is applied is not applied again, and what is still refused stays.
  { line: 'ledger replay', code: 1, says: /^0 records are in the database now\n1 record is still/ },
  { line: 'accounts list --json', says: /"available": "5.499999993"/ },
  {
    line: 'ledger replay',
    code: 1,
    says: /1 line cannot be read/,
    before: ({ workspace }) => {
      mkdirSync(workspace.path('data/journal'), { recursive: true })
      writeFileSync(workspace.path('data/journal/refused.log'), 'no record\n')
    },
  },

  { line: 'sign-in-link', here: '--listen 127.0.0.1:8123', says: /\/console\/sign-in#/ },
  {
    line: 'sign-in-link root@example.com',
    here: '--listen 127.0.0.1:8123',
    says: /\/console\/sign-in#/,
  },
  {
    line: 'sign-in-link b@example.com',
    here: '--listen 127.0.0.1:8123',
    code: 1,
    says: /There is no user "b@example.com"/,
  },
]

/**
 * What is about a process or its machine tells something else there: each has a test of its own below. Commands that work
 * only here refuse --url, which their own tests see.
 */
const ofTheProcess = ['config', 'doctor', 'apply']

test('the table has every command', () => {
  const covered = commands.filter(
    ({ name, onlyHere }) =>
      onlyHere !== undefined ||
      ofTheProcess.includes(name) ||
      steps.some(({ line }) => line === name || line.startsWith(`${name} `)),
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

/** An export is in order of ids, which each side has made up. */
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
    await compare(sides, steps)
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

  test('config shows the settings of the remote gateway', async () => {
    const { code, out } = await sides.there.run('config')
    expect(code).toBe(0)
    expect(out).toStartWith(`# gateway ${sides.gateway.url}, version `)
    expect(out).toMatch(/^listen: +127\.0\.0\.1:0 +# tollgate\.yaml:\d+$/m)
  })

  test('doctor checks the connection, the token and the state that the gateway reports', async () => {
    const { code, out } = await sides.there.run('doctor')
    // The line that nobody can read is still there.
    expect(code).toBe(1)
    expect(out).toMatch(/^ok +gateway +http:\S+ answers/m)
    expect(out).toMatch(/^ok +tls +not used, and not needed/m)
    expect(out).toMatch(/^warn +version +the gateway is \S+ and this command 1\.2\.3/m)
    expect(out).toMatch(/^ok +clock +agrees with the gateway$/m)
    expect(out).toMatch(/^ok +token +"remote-hand" \(tok_\w+\) may all, and never expires$/m)
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
      expect.stringMatching(/^provision: .*1 account \(1 created\); nothing was changed\n$/),
    ])
    expect((await sides.there.run('accounts list')).out).not.toContain('applied')
    const there = await given('', remote)
    const here = await given('', {})
    expect([there.code, there.out]).toEqual([0, expect.stringMatching(done)])
    expect(there).toEqual(here)
    expect((await given('', remote)).out).toContain('1 account (1 unchanged)')
    const listed = await sides.there.run('upstreams list --json')
    expect(listed.out).toContain('sec...6789')
    // What is no secret refers to nothing.
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

const firstSteps = steps.filter(({ line }) => /^(accounts|keys|tokens|audit|ledger)\b/.test(line))
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
