import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { eventually } from '../../support/eventually.ts'
import {
  type FakeUpstream,
  startFakeUpstream,
} from '../../support/fake-upstream/start-fake-upstream.ts'
import { readLedger } from '../../support/process/ledger-state.ts'
import { askShop, shopConfig, shopKey } from '../../support/process/shop.ts'
import {
  cleanUpAfterwards,
  type FinishedProcess,
  runHere,
  runTollgate,
  startTollgate,
  type TollgateProcess,
} from '../../support/process/tollgate-process.ts'
import { makeWorkspace, type Workspace } from '../../support/process/workspace.ts'

cleanUpAfterwards()

let upstream: FakeUpstream
let workspace: Workspace
beforeAll(async () => {
  upstream = await startFakeUpstream()
  workspace = makeWorkspace(shopConfig(upstream.url))
})
afterAll(() => upstream.stop())

/** Runs a command in its own process, like an operator. It must succeed; returns its output. */
async function run(...args: string[]): Promise<string> {
  return printed(await runTollgate(workspace, args))
}

/** The same in the test's process, for a command that another test of this file runs like an operator. */
async function again(...args: string[]): Promise<string> {
  return printed(await runHere(workspace, args))
}

function printed({ code, stdout, stderr }: FinishedProcess): string {
  expect(stderr).toBe('')
  expect(code).toBe(0)
  return stdout
}

describe('the command line', () => {
  test('apply creates what the file names, and changes nothing the second time', async () => {
    expect(await run('apply')).toContain('1 key (1 created)')
    const second = await again('apply')
    expect(second).toContain('1 key (1 unchanged)')
    expect(second).not.toContain('created')
    expect(second).not.toContain('changed,')
    const ledger = await readLedger(`sqlite://${workspace.path('data/tollgate.db')}`)
    expect(ledger.creditNano).toBe(25_000_000_000n)
    expect(ledger.imbalances).toEqual([])
  })

  test('accounts: create, credit once per credit id, list', async () => {
    await run('accounts', 'create', 'umbrella', '--credit', '1')
    expect(await run('accounts', 'credit', 'umbrella', '2.5', '--id', 'bill-7')).toContain('$3.50')
    expect(await again('accounts', 'credit', 'umbrella', '2.5', '--id', 'bill-7')).toContain(
      '$3.50',
    )
    expect(await run('accounts', 'list')).toContain('umbrella')
    const ledger = await readLedger(`sqlite://${workspace.path('data/tollgate.db')}`)
    expect(ledger.imbalances).toEqual([])
  })

  describe('while a gateway is running', () => {
    let gateway: TollgateProcess
    beforeAll(async () => {
      gateway = await startTollgate(workspace)
    })
    afterAll(async () => {
      gateway.signal('SIGTERM')
      expect(await gateway.exited).toBe(0)
    })

    test('sign-in-link has the address of the running gateway, not the default one', async () => {
      expect(await run('sign-in-link')).toStartWith(`${gateway.url}/console/sign-in#`)
      expect(await again('sign-in-link', '--listen', ':9000')).toStartWith(
        'http://localhost:9000/console/sign-in#',
      )
      const publicUrl = 'https://models.example.com/gateway'
      expect(await again('sign-in-link', '--public-url', `${publicUrl}/`)).toStartWith(
        `${publicUrl}/console/sign-in#`,
      )
    })

    test('keys: create, list without values, reveal, disable and enable while a gateway is running', async () => {
      const made = await run(
        'keys',
        'create',
        '--account',
        'acme',
        '--name',
        'ci',
        '--quota',
        '1.50',
      )
      const id = /id +(\S+)/.exec(made)?.[1] ?? ''
      const key = /sk-[A-Za-z0-9]{48}/.exec(made)?.[0] ?? ''
      const statusIs = (status: number) => async () => {
        const response = await askShop(gateway.url, { key })
        await response.text()
        return response.status === status
      }
      await eventually('the gateway knows the new key', statusIs(200))

      const listed = await run('keys', 'list')
      expect(listed).toContain(id)
      expect(listed).not.toContain(key)
      expect(listed).not.toContain(shopKey)
      const rows: unknown = JSON.parse(await again('keys', 'list', '--json'))
      expect(rows).toContainEqual(
        expect.objectContaining({ id, name: 'ci', quota: '1.50', enabled: true }),
      )
      expect(JSON.stringify(rows)).not.toContain(key)
      expect(await run('keys', 'reveal', id)).toBe(`${key}\n`)

      expect(await run('keys', 'disable', id)).toContain('is disabled')
      await eventually('the key stops', statusIs(401))
      expect(await run('keys', 'enable', id)).toContain('is enabled')
      await eventually('the key works again', statusIs(200))
      expect(gateway.stderr()).not.toContain(key)
    })

    test('a credit reaches a running gateway', async () => {
      await again('accounts', 'create', 'poor')
      const made = await again('keys', 'create', '--account', 'poor', '--name', 'p')
      const key = /sk-[A-Za-z0-9]{48}/.exec(made)?.[0] ?? ''
      await eventually('the key is known and has no money', async () => {
        return (await askShop(gateway.url, { key })).status === 403
      })
      await again('accounts', 'credit', 'poor', '1')
      await eventually('the credit counts', async () => {
        return (await askShop(gateway.url, { key })).status === 200
      })
    })
  })

  test('config and doctor show the settings in force and no secret', async () => {
    const config = await run('config')
    expect(config).toContain('127.0.0.1:0')
    const { stdout: report } = await runTollgate(workspace, ['doctor'])
    expect(report).toContain('database')
    for (const text of [config, report]) {
      expect(text).not.toContain(shopKey)
      expect(text).not.toContain('sk-upstream-0123456789abcdef')
    }
  })

  /** One case of each exit code. */
  const mistakes: { args: string[]; code: number; says: RegExp; isProcess?: true }[] = [
    {
      args: ['serv'],
      code: 2,
      isProcess: true,
      says: /Unknown command "serv"; did you mean "serve"\?/,
    },
    { args: ['keys'], code: 2, says: /needs a subcommand: create/ },
    { args: ['keys', 'create'], code: 2, says: /needs --account/ },
    {
      args: ['keys', 'disable', 'nobody'],
      code: 1,
      isProcess: true,
      says: /There is no key "nobody"/,
    },
    { args: ['keys', 'create', '--account', 'x', '--name', 'y'], code: 1, says: /no account "x"/ },
    { args: ['accounts', 'credit', 'acme', 'much'], code: 2, says: /amount .* not "much"/ },
    { args: ['serve', '--lisen', '127.0.0.1:0'], code: 2, says: /--lisen/ },
  ]
  test.each(mistakes)('$args: prints one sentence, exit code $code', async (mistake) => {
    const { args, code, says, isProcess } = mistake
    const finished = await (isProcess ? runTollgate : runHere)(workspace, args)
    expect(finished.stderr).toMatch(says)
    expect(finished.stderr).toMatch(/^tollgate: [^\n]+\n$/)
    expect(finished.code).toBe(code)
    expect(finished.stdout).toBe('')
  })
})
