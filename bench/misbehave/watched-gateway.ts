import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { stringify } from 'yaml'
import { type ProtocolName, protocolNames } from '../../src/core/neutral/protocol-name.ts'
import { startChild, startTalkingChild } from '../children.ts'
import { freePort } from '../free-port.ts'

export const key = 'bench-misbehave-key-0123456789'

export interface WatchedGateway {
  readonly url: string
  readonly folder: string
  watch(): Promise<Watched>
  /** The reasons why upstreams failed requests, from the gateway's log, with their counts. */
  troubles(): ReadonlyMap<string, number>
}

/** Figures since the previous call. */
export interface Watched {
  /** The longest time for which the event loop was blocked, by the clock. */
  readonly longestMs: number
  /** The same in CPU time of the main thread. */
  readonly longestCpuMs: number
  readonly residentMegabytes: number
}

const vendors: Readonly<Record<ProtocolName, string>> = {
  'chat-completions': 'openai-compatible',
  responses: 'openai-compatible',
  messages: 'anthropic',
  'generate-content': 'google',
}

const readyTriesMax = 200
const readyEveryMs = 50

/** The model that an upstream of this protocol serves. */
export function modelOf(protocol: ProtocolName): string {
  return `served-by-${protocol}`
}

/** The gateway as shipped, in its own process, with a monitor of its event loop. */
export async function startWatchedGateway(entry: string): Promise<WatchedGateway> {
  const folder = mkdtempSync(`${tmpdir()}/tollgate-misbehave-`)
  const upstream = await portOf(
    startTalkingChild([process.execPath, `${import.meta.dir}/upstream.ts`]),
  )
  const port = freePort()
  const watchPort = freePort()
  writeFileSync(
    `${folder}/tollgate.yaml`,
    configOf(folder, port, `http://127.0.0.1:${upstream}/v1`),
  )
  const gateway = startChild({
    command: [
      process.execPath,
      '--preload',
      `${import.meta.dir}/watch-loop.ts`,
      entry,
      'serve',
      '--config',
      `${folder}/tollgate.yaml`,
    ],
    env: { BENCH_WATCH_PORT: String(watchPort), PATH: process.env['PATH'] ?? '', HOME: folder },
    logFile: `${folder}/gateway.log`,
  })
  const url = `http://127.0.0.1:${port}`
  for (let tries = 0; ; tries += 1) {
    if (gateway.exitCode !== null) throw new Error(readFileSync(`${folder}/gateway.log`, 'utf8'))
    const reply = await fetch(`${url}/readyz`).catch(() => undefined)
    if (reply?.ok) break
    if (tries > readyTriesMax)
      throw new Error(`the gateway does not start; see ${folder}/gateway.log`)
    await Bun.sleep(readyEveryMs)
  }
  const watch = async () => {
    const reply = await fetch(`http://127.0.0.1:${watchPort}/`)
    return (await reply.json()) as Watched
  }
  return { url, folder, watch, troubles: () => troublesIn(`${folder}/gateway.log`) }
}

function troublesIn(logFile: string): ReadonlyMap<string, number> {
  const troubles = new Map<string, number>()
  for (const line of readFileSync(logFile, 'utf8').split('\n')) {
    if (!line.includes('upstream_failed')) continue
    const why = /"why":"([^"]*)"/.exec(line)?.[1] ?? line
    troubles.set(why, (troubles.get(why) ?? 0) + 1)
  }
  return troubles
}

async function portOf(child: { readonly stdout: ReadableStream<Uint8Array> }): Promise<number> {
  for await (const bytes of child.stdout) return Number(new TextDecoder().decode(bytes))
  throw new Error('the upstream has not started')
}

function configOf(folder: string, port: number, baseUrl: string): string {
  return stringify({
    listen: `127.0.0.1:${port}`,
    database: `sqlite://${folder}/tollgate.db`,
    data: folder,
    demo: 'off',
    logLevel: 'warn',
    provision: {
      groups: [{ id: 'default', factor: 1 }],
      models: protocolNames.map((protocol) => ({
        id: modelOf(protocol),
        price: { input: 0.1, output: 0.1 },
        maxOutputTokens: 1_000,
      })),
      upstreams: protocolNames.map((protocol) => ({
        id: protocol,
        vendor: vendors[protocol],
        protocol,
        baseUrl,
        credential: 'upstream-key-of-nobody',
        groups: ['default'],
        models: [modelOf(protocol)],
      })),
      accounts: [{ id: 'bench', name: 'Bench', credit: 1_000_000 }],
      keys: [{ id: 'bench', account: 'bench', name: 'bench', value: key, groups: ['default'] }],
    },
  })
}
