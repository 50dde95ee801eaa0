import { readFileSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import type { Subprocess } from 'bun'
import { benchKey, limitedKey, usualKey } from './bench-request.ts'
import { startChild, startTalkingChild } from './children.ts'
import { freePort } from './free-port.ts'
import {
  gatewayConfig,
  gatewayKeyVariable,
  limitedKeyVariable,
  upstreamKeyVariable,
  usualKeyVariable,
} from './gateway-config.ts'
import { lines } from './lines.ts'
import { nginxConfig } from './nginx-config.ts'
import type { TargetName } from './scenario.ts'

export interface Target {
  readonly name: TargetName
  readonly url: string
  readonly child: Subprocess
}

const startLimitMs = 15_000
const pollMs = 5

export async function startUpstream(): Promise<Target> {
  const child = startTalkingChild([
    process.execPath,
    fileURLToPath(new URL('./upstream.ts', import.meta.url)),
  ])
  for await (const port of lines(child.stdout)) {
    return { name: 'upstream', url: `http://127.0.0.1:${port}`, child }
  }
  throw new Error('the bench upstream did not start')
}

export async function startNginx(nginx: string, folder: string, upstream: Target): Promise<Target> {
  const port = freePort()
  const configFile = `${folder}/nginx.conf`
  const upstreamPort = Number(new URL(upstream.url).port)
  writeFileSync(configFile, nginxConfig({ folder, port, upstreamPort }))
  const logFile = `${folder}/nginx.log`
  const command = [nginx, '-p', folder, '-e', 'stderr', '-c', configFile]
  const target: Target = {
    name: 'nginx',
    url: `http://127.0.0.1:${port}`,
    child: startChild({ command, env: {}, logFile }),
  }
  await untilOk(target, '/counters', logFile)
  return target
}

export interface GatewayStart {
  /** A program that starts the gateway, with its arguments. */
  readonly starter?: readonly string[]
  readonly flags?: readonly string[]
  /** Adds a second key, with all limits and budgets. */
  readonly isLimited?: boolean
}

export async function startGateway(
  entry: string,
  folder: string,
  upstream: Target,
  { starter = [], flags = [], isLimited = false }: GatewayStart = {},
): Promise<Target> {
  const port = freePort()
  const configFile = `${folder}/tollgate.yaml`
  writeFileSync(configFile, gatewayConfig({ folder, port, upstreamUrl: upstream.url, isLimited }))
  const logFile = `${folder}/gateway.log`
  const child = startChild({
    command: [...starter, process.execPath, entry, 'serve', '--config', configFile, ...flags],
    env: {
      // Bun reads this variable at its start; without it, Bun allows 256 outgoing requests.
      BUN_CONFIG_MAX_HTTP_REQUESTS: '65336',
      [gatewayKeyVariable]: benchKey,
      [limitedKeyVariable]: limitedKey,
      [usualKeyVariable]: usualKey,
      [upstreamKeyVariable]: 'sk-upstream-0123456789-0123456789',
    },
    logFile,
  })
  const target: Target = { name: 'gateway', url: `http://127.0.0.1:${port}`, child }
  await untilOk(target, '/readyz', logFile)
  return target
}

async function untilOk(target: Target, path: string, logFile: string): Promise<void> {
  const endAt = performance.now() + startLimitMs
  while (performance.now() < endAt && target.child.exitCode === null) {
    const signal = AbortSignal.timeout(startLimitMs)
    const response = await fetch(target.url + path, { signal }).catch(() => undefined)
    if (response?.ok) return
    await Bun.sleep(pollMs)
  }
  const log = readFileSync(logFile, 'utf8').trim().split('\n').slice(-10).join('\n')
  throw new Error(`${target.name} did not start; the end of its log:\n${log}`)
}
