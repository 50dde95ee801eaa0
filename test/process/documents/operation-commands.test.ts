import { afterAll, beforeAll, expect, test } from 'bun:test'
import { createHash } from 'node:crypto'
import { cpSync, existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { parse } from 'yaml'
import { loadConfig } from '../../../src/config.ts'
import { vendors } from '../../../src/vendors/index.ts'
import { freePort } from '../../../tools/testing/free-port.mjs'
import {
  type FakeUpstream,
  startFakeUpstream,
} from '../../support/fake-upstream/start-fake-upstream.ts'
import { missingPart } from '../../support/missing-part.ts'
import { patience } from '../../support/patience.ts'
import { askShop, shopConfig } from '../../support/process/shop.ts'
import {
  cleanUpAfterwards,
  runHere,
  startTollgate,
} from '../../support/process/tollgate-process.ts'
import { makeWorkspace } from '../../support/process/workspace.ts'
import { operationBlocks, operationCommands, root } from './operation-commands.ts'

cleanUpAfterwards()

/** Another file that runs the command, and a text in it that shows this. */
interface Elsewhere {
  readonly file: string
  readonly text: string
}

/** `here`: this file runs the command. `not`: why no test can run it. */
type Treatment = 'here' | Elsewhere | { readonly not: string }

const noEngine = {
  not: 'needs a container engine; test/package/container.test.ts runs what the image runs',
}
const noCluster = { not: 'needs a cluster; npm run check-deploy checks the chart with helm' }
const noSystemd = { not: 'needs a running systemd; npm run check-deploy verifies the unit' }
const proveNpm = 'tools/package/prove-npm.mjs'

const treatments: Readonly<Record<string, Treatment>> = {
  'apt install ./tollgate_0.1.0_amd64.deb': {
    not: 'changes the system; npm run check-deploy examines the package',
  },
  'cd deploy/compose': 'here',
  'chmod 444 secrets/*': 'here',
  'docker build -f deploy/container/Dockerfile --build-arg BUILD_COMMIT=$(git rev-parse --short=12 HEAD) --build-arg SOURCE_DATE_EPOCH=$(git log -1 --format=%ct) -t tollgate .':
    noEngine,
  'docker compose exec tollgate /usr/bin/tollgate sign-in-link': noEngine,
  'docker compose up --build --detach': noEngine,
  'docker run --read-only --cap-drop ALL -p 127.0.0.1:8080:8080 -v tollgate-data:/data --hostname tollgate tollgate':
    noEngine,
  'editor /etc/tollgate/tollgate.yaml': { not: 'is for a person' },
  'git checkout v0.1.0': { not: 'needs the tag of a release' },
  'helm install tollgate deploy/helm/tollgate --set image.repository=registry.example.com/tollgate':
    noCluster,
  'install -D -m 640 -g tollgate deploy/debian/tollgate.yaml /etc/tollgate/tollgate.yaml': 'here',
  'install -m 600 deploy/debian/environment /etc/tollgate/environment': 'here',
  'install -m 644 deploy/debian/sysusers.conf /usr/lib/sysusers.d/tollgate.conf && systemd-sysusers':
    'here',
  'install -m 644 deploy/systemd/tollgate.service /etc/systemd/system/tollgate.service': 'here',
  'install -m 755 tollgate-linux-x64 /usr/bin/tollgate': 'here',
  'install -m 755 tollgate-linux-x64 /usr/local/bin/tollgate': 'here',
  'kubectl create secret generic tollgate --from-literal=database=\'postgres://tollgate:password@postgres:5432/tollgate\' --from-literal=secret="$(openssl rand -hex 32)"':
    noCluster,
  'kubectl exec tollgate-0 -- /usr/bin/tollgate sign-in-link': noCluster,
  'mkdir -m 700 secrets': 'here',
  'npm install ./tollgate-0.1.0.tgz': { file: proveNpm, text: "'install'" },
  'npm run release': { not: 'needs the tag of a release and builds for minutes' },
  'npm start -- --workers auto': {
    file: 'test/process/replicas/start-workers.ts',
    text: "'--workers'",
  },
  'npx tollgate serve': { file: proveNpm, text: "'serve'" },
  'openssl rand -hex 24 > secrets/postgres-password': 'here',
  'openssl rand -hex 32 > secrets/gateway-secret': 'here',
  'printf \'postgres://tollgate:%s@postgres:5432/tollgate\\n\' "$(cat secrets/postgres-password)" > secrets/database-url':
    'here',
  'sha256sum --check --ignore-missing SHA256SUMS': 'here',
  'sqlite3 data/tollgate.db "VACUUM INTO \'backup.db\'"': 'here',
  'systemctl enable --now tollgate': noSystemd,
  'systemd-run --pipe --wait --uid=tollgate -p EnvironmentFile=/etc/tollgate/environment -E TOLLGATE_CONFIG=/etc/tollgate/tollgate.yaml -E TOLLGATE_DATA=/var/lib/tollgate tollgate sign-in-link':
    noSystemd,
  'tollgate --version': 'here',
  'tollgate accounts correct': 'here',
  'tollgate audit': 'here',
  'tollgate audit --release ACCOUNT': 'here',
  'tollgate backup': 'here',
  'tollgate backup backup.tollgate': 'here',
  'tollgate backup before-upgrade.tollgate': 'here',
  'tollgate backup move.tollgate': 'here',
  'tollgate doctor': 'here',
  'tollgate health': 'here',
  'tollgate ledger replay': 'here',
  'tollgate migrate': 'here',
  'tollgate migrate --dry-run': 'here',
  'tollgate restore backup.tollgate': 'here',
  'tollgate restore backup.tollgate --replace --yes': 'here',
  'tollgate restore move.tollgate --database postgres://…': 'here',
  'tollgate secret rotate': {
    file: 'test/process/documents/operations.test.ts',
    text: "run('secret rotate')",
  },
  'tollgate serve': 'here',
}

test('every command of docs/operations is in the table: it runs in a test, or the table says why not', () => {
  expect(Object.keys(treatments).sort()).toEqual(operationCommands())
  for (const treatment of Object.values(treatments)) {
    if (treatment === 'here' || 'not' in treatment) continue
    expect(readFileSync(join(root, treatment.file), 'utf8')).toContain(treatment.text)
  }
})

const ran = new Set<string>()

const timeoutMs = patience(60_000)
let upstream: FakeUpstream
beforeAll(async () => {
  upstream = await startFakeUpstream()
})
afterAll(() => upstream.stop())

test(
  'commands of this program, beside a running gateway and after its stop',
  gatewayCommands,
  timeoutMs,
)
test(
  'shell commands, with a separate folder in place of the system folders',
  shellCommands,
  timeoutMs,
)

test('every command that the table marks was run', () => {
  const wanted = Object.keys(treatments).filter((command) => treatments[command] === 'here')
  expect([...ran].sort()).toEqual(wanted.sort())
})

test('every configuration of docs/operations is valid', () => {
  const blocks = operationBlocks().filter(({ language }) => language === 'yaml')
  expect(blocks.length).toBeGreaterThan(2)
  const values = parse(readFileSync(join(root, 'deploy/helm/tollgate/values.yaml'), 'utf8'))
  for (const { page, text } of blocks) {
    const isChart = page === 'kubernetes.md'
    const config = isChart ? JSON.stringify(parse(text).config) : text
    const env = { OTLP_HEADERS: 'authorization=Bearer token' }
    expect(() => loadConfig({ vendors, env, cwd: root, readFile: () => config })).not.toThrow()
    if (!isChart) continue
    const { ingress, ...others } = parse(text)
    expect(Object.keys(values)).toEqual(expect.arrayContaining(Object.keys(others)))
    expect(Object.keys(values.ingress)).toEqual(expect.arrayContaining(Object.keys(ingress)))
  }
})

/** Returns both outputs. A failing command fails the test. */
async function shell(cwd: string, script: string): Promise<string> {
  const child = Bun.spawn(['bash', '-euc', `${script}\n`], { cwd, stderr: 'pipe' })
  const [out, err, code] = await Promise.all([
    child.stdout.text(),
    child.stderr.text(),
    child.exited,
  ])
  expect([script, err, code]).toEqual([script, '', 0])
  return out
}

async function gatewayCommands(): Promise<void> {
  const port = await freePort()
  const listen = `127.0.0.1:${port}`
  const workspace = makeWorkspace(shopConfig(upstream.url, { listen, replica: 'one' }))
  /** Runs the command as written, with its placeholders replaced. */
  const run = async (command: string, more = '', env: Record<string, string> = {}) => {
    ran.add(command)
    const line = command.replace('ACCOUNT', 'acme').replace(/postgres:\/\/…/, 'sqlite://moved.db')
    const words = [...line.split(' ').slice(1), ...more.split(' ')].filter((word) => word !== '')
    return runHere({ ...workspace, env: { ...workspace.env, ...env } }, words)
  }
  const expectDone = async (...call: Parameters<typeof run>): Promise<string> => {
    const { code, stdout, stderr } = await run(...call)
    expect([call[0], stderr, code]).toEqual([call[0], '', 0])
    return stdout
  }
  ran.add('tollgate serve')
  const gateway = await startTollgate(workspace)
  expect((await askShop(gateway.url)).status).toBe(200)
  expect((await fetch(`${gateway.url}/readyz`)).status).toBe(200)
  expect(await expectDone('tollgate health')).toBe('ready\n')
  expect(await expectDone('tollgate --version')).toStartWith('tollgate ')
  expect(await expectDone('tollgate migrate --dry-run')).toBe('The schema is up to date.\n')
  expect(await expectDone('tollgate migrate')).toBe('The schema is up to date.\n')
  expect(await expectDone('tollgate doctor')).toMatch(/^ok +database /m)
  for (const name of ['backup', 'before-upgrade', 'move'])
    expect(await expectDone(`tollgate backup ${name}.tollgate`)).toContain('rows')
  // Without a file name this is only the name of the command.
  expect((await run('tollgate backup')).code).toBe(2)
  expect(await expectDone('tollgate doctor')).toMatch(/^ok +backup +the last "tollgate backup" is/m)
  expect(await expectDone('tollgate ledger replay')).not.toBe('')
  await expectDone('tollgate accounts correct', 'acme 1 --reason corrected --yes')
  expect(await expectDone('tollgate audit')).toContain('Every charge is accounted for.')
  const released = await run('tollgate audit --release ACCOUNT')
  expect(released.stderr).toContain('has not stopped an account "acme"')
  const early = await run('tollgate restore backup.tollgate --replace --yes')
  expect(early.stderr).toContain('Replica "one" is running')
  gateway.signal('SIGTERM')
  expect(await gateway.exited).toBe(0)

  const empty = { TOLLGATE_DATABASE: 'sqlite://empty.db' }
  for (const said of [
    await expectDone('tollgate restore backup.tollgate', '', empty),
    await expectDone('tollgate restore backup.tollgate --replace --yes'),
    await expectDone('tollgate restore move.tollgate --database postgres://…'),
  ])
    expect(said).toContain('rows restored')
  expect(await expectDone('tollgate audit')).toContain('Every charge is accounted for.')
  await expectCopy(workspace.folder)
}

async function expectCopy(folder: string): Promise<void> {
  const command = 'sqlite3 data/tollgate.db "VACUUM INTO \'backup.db\'"'
  ran.add(command)
  if (Bun.which('sqlite3') === null) return missingPart(command, 'sqlite3 is not installed')
  expect(await shell(folder, command)).toBe('')
  expect(statSync(join(folder, 'backup.db')).size).toBeGreaterThan(100_000)
}

async function shellCommands(): Promise<void> {
  const { folder } = makeWorkspace()
  cpSync(join(root, 'deploy'), join(folder, 'deploy'), { recursive: true })
  const program = 'tollgate-linux-x64'
  writeFileSync(join(folder, program), 'the executable')
  const sum = createHash('sha256').update('the executable').digest('hex')
  const other = `${'0'.repeat(64)}  tollgate-darwin-arm64`
  writeFileSync(join(folder, 'SHA256SUMS'), `${sum}  ${program}\n${other}\n`)
  for (const place of ['usr/bin', 'usr/local/bin', 'usr/lib/sysusers.d', 'etc/systemd/system'])
    mkdirSync(join(folder, 'root', place), { recursive: true })
  const system = `${join(folder, 'root')}/`
  const list = operationCommands().filter((command) => treatments[command] === 'here')
  for (const command of list.filter((each) => /^(?:sha256sum|install) /.test(each))) {
    ran.add(command)
    const line = command.replace(' -g tollgate', '').replace(' && systemd-sysusers', '')
    const said = await shell(folder, line.replaceAll(' /', ` ${system}`))
    expect(said).toBe(line.startsWith('sha256sum') ? `${program}: OK\n` : '')
  }
  const installed = ['usr/bin/tollgate', 'etc/systemd/system/tollgate.service']
  const configured = ['etc/tollgate/tollgate.yaml', 'etc/tollgate/environment']
  for (const path of [...installed, ...configured]) expect(existsSync(system + path)).toBe(true)

  const compose =
    operationBlocks()
      .find(({ page }) => page === 'compose.md')
      ?.text.split('\n') ?? []
  const own = compose.filter((line) => line !== '' && !line.startsWith('docker'))
  for (const line of own) ran.add(line)
  expect(await shell(folder, own.join('\n'))).toBe('')
  const secrets = join(folder, 'deploy/compose/secrets')
  expect(statSync(secrets).mode & 0o777).toBe(0o700)
  // The gateway accepts what the commands have written.
  const env = {
    TOLLGATE_DATABASE: 'file:database-url',
    TOLLGATE_SECRET: 'file:gateway-secret',
  }
  const config = loadConfig({ vendors, env, cwd: secrets })
  const password = readFileSync(join(secrets, 'postgres-password'), 'utf8').trim()
  expect(password).toMatch(/^[0-9a-f]{48}$/)
  expect(config.database).toBe(`postgres://tollgate:${password}@postgres:5432/tollgate`)
  expect(config.secret).toMatch(/^[0-9a-f]{64}$/)
}
