import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gatewayCommand } from '../../support/process/tollgate-process.ts'
import { shortLived } from '../../support/short-lived.ts'
import { ownPort } from './own-port.ts'

const root = join(import.meta.dirname, '..', '..', '..')
const builtFolder = join(root, 'console', 'dist')

export interface DemoGateway {
  readonly url: string
  /** Signs the administrator in, once. */
  readonly signInUrl: string
  /** The key of the first account; empty if the gateway has other keys. */
  readonly key: string
  stop(): Promise<void>
}

/** The gateway as an operator starts it, in its own process; with the demo's month if requested. */
export async function startDemoGateway(
  flags: readonly string[] = ['--demo'],
): Promise<DemoGateway> {
  if (!existsSync(join(builtFolder, 'index.html'))) {
    throw new Error('The console is not built: npm run build:console')
  }
  const folder = mkdtempSync(join(tmpdir(), 'tollgate-browser-'))
  const logPath = join(folder, 'log')
  const listen = `127.0.0.1:${ownPort()}`
  const args = ['serve', ...flags, '--listen', listen, '--data', join(folder, 'data')]
  const child = Bun.spawn(gatewayCommand(args), {
    cwd: folder,
    env: { ...shortLived, PATH: process.env['PATH'] ?? '' },
    stdout: 'pipe',
    stderr: Bun.file(logPath),
  })
  const banner = await readUntil(child.stdout, 'Ctrl-C stops.')
  const stop = async () => {
    child.kill('SIGTERM')
    await child.exited
    rmSync(folder, { recursive: true, force: true })
  }
  const url = /ready at +(http:\S+)/.exec(banner)?.[1]
  const signInUrl = /(http:\S+sign-in#\S+)/.exec(banner)?.[1]
  const key = /API key +(sk-\w+)/.exec(banner)?.[1] ?? ''
  if (url !== undefined && signInUrl !== undefined) return { url, signInUrl, key, stop }
  const log = readFileSync(logPath, 'utf8')
  await stop()
  throw new Error(`The gateway did not start: ${banner}${log}`)
}

async function readUntil(stream: ReadableStream<Uint8Array>, mark: string): Promise<string> {
  const decoder = new TextDecoder()
  let text = ''
  for await (const piece of stream) {
    text += decoder.decode(piece, { stream: true })
    if (text.includes(mark)) break
  }
  return text
}
