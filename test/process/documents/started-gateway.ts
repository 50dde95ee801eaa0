import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { productCommand } from '../../support/process/tollgate-process.ts'
import { shortLived } from '../../support/short-lived.ts'

export interface StartedGateway {
  readonly baseUrl: string
  /** The key that the start printed. */
  readonly key: string
  /** Its data folder, for commands on the same machine. */
  readonly data: string
  /** Sends SIGTERM and returns the exit code. */
  stop(): Promise<number>
}

/**
 * A real gateway in its own process, on a free port and in its own folder, without any configuration except the given
 * variables.
 */
export async function startGateway(
  variables: Readonly<Record<string, string>> = {},
): Promise<StartedGateway> {
  const folder = mkdtempSync(join(tmpdir(), 'tollgate-started-'))
  const logPath = join(folder, 'log')
  const data = join(folder, 'data')
  const args = ['serve', '--listen', '127.0.0.1:0', '--data', data]
  const child = Bun.spawn(productCommand(args), {
    cwd: folder,
    env: {
      PATH: process.env['PATH'] ?? '',
      TOLLGATE_LAME_DUCK_SECONDS: '0',
      ...shortLived,
      ...variables,
    },
    stdout: 'pipe',
    stderr: Bun.file(logPath),
  })
  const banner = await readUntil(child.stdout, 'Ctrl-C stops.')
  const baseUrl = /ready at +(http:\S+)/.exec(banner)?.[1]
  const key = /API key +(sk-\w+)/.exec(banner)?.[1]
  const stop = async () => {
    child.kill('SIGTERM')
    const code = await child.exited
    rmSync(folder, { recursive: true, force: true })
    return code
  }
  if (baseUrl !== undefined && key !== undefined) return { baseUrl, key, data, stop }
  child.kill('SIGTERM')
  await child.exited
  throw new Error(`The gateway did not start: ${banner}${readFileSync(logPath, 'utf8')}`)
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
