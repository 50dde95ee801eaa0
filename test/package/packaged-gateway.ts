import { afterAll } from 'bun:test'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { atEnd } from '../support/at-end.ts'
import { eventually } from '../support/eventually.ts'
import { shortLived } from '../support/short-lived.ts'

const root = join(import.meta.dirname, '..', '..')

/** The name of this machine's executable; undefined where the runtime in `node_modules` is not one of the targets. */
export const hostTarget =
  process.platform === 'linux' || process.platform === 'darwin'
    ? `${process.platform}-${process.arch}`
    : undefined

const folders: string[] = []
const running = new Set<{ kill(signal: 'SIGKILL'): void; readonly exited: Promise<number> }>()

/** Call once in each test file. */
export function cleanUpPackages(): void {
  afterAll(async () => {
    const left = [...running]
    for (const child of left) child.kill('SIGKILL')
    await Promise.all(left.map(({ exited }) => exited))
    for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true })
  })
}

function newFolder(): string {
  return mkdtempSync(join(tmpdir(), 'tollgate-package-'))
}

export function emptyFolder(): string {
  const folder = newFolder()
  folders.push(folder)
  return folder
}

/** Builds this machine's executable as an operator does, and returns the folder with it. */
export async function buildPackage(target: string, parent = emptyFolder()): Promise<string> {
  const out = join(parent, 'out')
  const words = [join(root, 'tools', 'package.mjs'), '--only', target, '--out', out]
  const build = Bun.spawn(['node', ...words], { stdout: 'pipe', stderr: 'pipe' })
  const said = await new Response(build.stderr).text()
  if ((await build.exited) !== 0) throw new Error(said)
  return out
}

let shared: Promise<string> | undefined

function sharedFolder(): string {
  const folder = newFolder()
  atEnd(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}

/** The same, built once for all files. Nobody changes it. */
export function builtPackage(target: string): Promise<string> {
  shared ??= buildPackage(target, sharedFolder())
  return shared
}

/** An environment without the source tree, the test runner and this machine's settings. */
const cleanEnv = {
  PATH: '/usr/sbin:/usr/bin:/sbin:/bin',
  ...shortLived,
  TOLLGATE_LAME_DUCK_SECONDS: '0',
}

export interface Program {
  readonly words: readonly string[]
  readonly cwd: string
  readonly env?: Readonly<Record<string, string>>
}

export async function run({ words, cwd, env }: Program) {
  const child = Bun.spawn([...words], {
    cwd,
    env: { ...cleanEnv, ...env },
    stdout: 'pipe',
    stderr: 'pipe',
  })
  const [out, err, code] = await Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
    child.exited,
  ])
  return { code, out, err }
}

/** Starts a program that serves, and waits for its banner. */
export async function start({ words, cwd, env }: Program) {
  const child = Bun.spawn([...words], {
    cwd,
    env: { ...cleanEnv, ...env },
    stdout: 'pipe',
    stderr: 'pipe',
  })
  running.add(child)
  const out = collect(child.stdout)
  const err = collect(child.stderr)
  const banner = await eventually('the gateway is ready', () => {
    if (child.exitCode !== null) throw new Error(`it stopped: ${err()}`)
    return out().includes('Ctrl-C stops.') ? out() : undefined
  })
  return {
    pid: child.pid,
    url: /ready at +(http:\S+)/.exec(banner)?.[1] ?? '',
    key: /API key +(\S+)/.exec(banner)?.[1] ?? '',
    exited: child.exited,
    kill: (signal: 'SIGTERM' | 'SIGKILL') => child.kill(signal),
  }
}

function collect(stream: ReadableStream<Uint8Array>): () => string {
  let text = ''
  const decoder = new TextDecoder()
  void (async () => {
    for await (const piece of stream) text += decoder.decode(piece, { stream: true })
  })()
  return () => text
}

/** Sends one request to the demo upstream. */
export async function ask(url: string, key: string): Promise<Response> {
  return fetch(`${url}/v1/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: '{"model":"demo-small","messages":[{"role":"user","content":"Hello!"}]}',
  })
}
