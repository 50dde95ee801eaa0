import { beforeAll, describe, expect, test } from 'bun:test'
import { spawnSync } from 'node:child_process'
import {
  chmodSync,
  chownSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  readFileSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import { freePort } from '../../tools/testing/free-port.mjs'
import { eventually } from '../support/eventually.ts'
import { missingPart } from '../support/missing-part.ts'
import {
  ask,
  builtPackage,
  cleanUpPackages,
  emptyFolder,
  hostTarget,
  run,
  start,
} from './packaged-gateway.ts'

/*
 * The container without a container engine: the file tree of the image, its variables, user and entry point from the
 * Dockerfile, as process 1 of its own namespace, on a root that nobody can write to.
 */

cleanUpPackages()

const dockerfile = readFileSync(
  join(import.meta.dirname, '..', '..', 'deploy', 'container', 'Dockerfile'),
  'utf8',
).replaceAll('\\\n', ' ')
const finalStage = dockerfile.slice(dockerfile.lastIndexOf('\nFROM '))

function instruction(name: string): string {
  const found = new RegExp(`^${name} (.+)$`, 'm').exec(finalStage)?.[1]
  if (found === undefined) throw new Error(`the Dockerfile has no ${name}`)
  return found.trim()
}

const readList = (text: string): string[] => JSON.parse(text.slice(text.indexOf('[')))
const env = Object.fromEntries(
  instruction('ENV')
    .split(/\s+/)
    .map((pair) => pair.split('=') as [string, string]),
)
const [uid = 0, gid = 0] = instruction('USER').split(':').map(Number)
const entryPoint = readList(instruction('ENTRYPOINT'))

/** The tree of the image: the executable, the C library, and an empty folder for data. */
function makeTree(executable: string): string {
  const tree = emptyFolder()
  chmodSync(tree, 0o755)
  const put = (from: string, to: string) => {
    mkdirSync(dirname(join(tree, to)), { recursive: true })
    copyFileSync(from, join(tree, to))
  }
  put(executable, entryPoint[0] ?? '')
  const { stdout } = spawnSync('ldd', [executable], { encoding: 'utf8' })
  for (const [library] of stdout.matchAll(/\/\S+\.so\S*/g)) put(library, library)
  for (const name of ['proc', 'dev', 'tmp', 'etc', 'data'])
    mkdirSync(join(tree, name), { recursive: true })
  writeFileSync(
    join(tree, 'etc', 'passwd'),
    `nonroot:x:${uid}:${gid}::/home/nonroot:/sbin/nologin\n`,
  )
  chownSync(join(tree, 'data'), uid, gid)
  return tree
}

/** The command line that runs a program in the tree: read-only root, writable volume, no privileges. */
function contained(tree: string, command: readonly string[]): string[] {
  const script = [
    'set -e',
    `mount --bind ${tree} ${tree}`,
    `mount --bind ${tree}/data ${tree}/data`,
    `mount -o remount,ro,bind ${tree}`,
    `mount -t proc proc ${tree}/proc`,
    `mount --rbind /dev ${tree}/dev`,
    `exec chroot --userspec=${uid}:${gid} --groups=${gid} ${tree} "$@"`,
  ].join('\n')
  return [
    'unshare',
    '--mount',
    '--pid',
    '--fork',
    '--kill-child',
    'sh',
    '-c',
    script,
    'sh',
    ...command,
  ]
}

function describeContainer(target: string): void {
  let tree = ''
  beforeAll(async () => {
    tree = makeTree(join(await builtPackage(target), `tollgate-${target}`))
  })

  test('it runs as process 1 without root on a read-only root, is healthy, and drains on SIGTERM', async () => {
    const variables = { ...env, TOLLGATE_LISTEN: `127.0.0.1:${await freePort()}` }
    const words = contained(tree, [...entryPoint, ...readList(instruction('CMD'))])
    const gateway = await start({ words, cwd: '/', env: variables })
    // The child of `unshare`, by its process id outside the namespace.
    const child = Number(readFileSync(`/proc/${gateway.pid}/task/${gateway.pid}/children`, 'utf8'))
    const status = readFileSync(`/proc/${child}/status`, 'utf8')
    expect(status).toMatch(new RegExp(`^Uid:\\s+${uid}\\s+${uid}\\s`, 'm'))
    expect(status).toMatch(/^NSpid:\s+\d+\s+1$/m)
    expect(status).toMatch(/^CapEff:\s+0+$/m)
    expect((await ask(gateway.url, gateway.key)).status).toBe(200)
    expect((await fetch(`${gateway.url}/console/`)).status).toBe(200)

    const check = contained(tree, readList(instruction('HEALTHCHECK')))
    const healthy = await run({ words: check, cwd: '/', env: variables })
    expect([healthy.code, healthy.out]).toEqual([0, 'ready\n'])

    process.kill(child, 'SIGTERM')
    expect(await gateway.exited).toBe(0)
    const gone = await run({ words: check, cwd: '/', env: variables })
    expect(gone.code).toBe(1)
    await eventually(
      'the data is in the volume',
      () => existsSync(join(tree, 'data', 'tollgate.db')) || undefined,
    )
  })

  test('the root cannot be written to', async () => {
    const words = contained(tree, [...entryPoint, 'serve', '--data', '/elsewhere'])
    const { code, err } = await run({
      words,
      cwd: '/',
      env: { ...env, TOLLGATE_LISTEN: '127.0.0.1:0' },
    })
    expect(code).toBe(1)
    expect(err).toContain('/elsewhere')
  })
}

const mayUnshare =
  process.platform === 'linux' &&
  process.getuid?.() === 0 &&
  spawnSync('unshare', ['--mount', '--pid', '--fork', 'true']).status === 0
const target = hostTarget
if (target === undefined || !mayUnshare)
  missingPart('package container', 'this needs Linux and root')
else describe('the container', () => describeContainer(target))
