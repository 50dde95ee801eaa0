import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { checkTarget } from './check-target.ts'
import { stopAllChildren } from './children.ts'
import type { Programs } from './ensure-programs.ts'
import type { Options } from './read-options.ts'
import { startGateway, startNginx, startUpstream, type Target } from './target.ts'

// The environment of every scenario: three targets, two of them in front of the third.
export interface Fixture {
  readonly options: Options
  readonly programs: Programs
  readonly folder: string
  readonly upstream: Target
  readonly nginx: Target
  readonly gateway: Target
  // Spawn to first 200 of /readyz, for each start of the gateway.
  readonly readyMs: readonly number[]
}

const gatewayStarts = 3

export function makeFolder(): string {
  return mkdtempSync(`${tmpdir()}/tollgate-bench-`)
}

export async function openFixture(
  options: Options,
  programs: Programs,
  folder: string,
): Promise<Fixture> {
  const upstream = await startUpstream()
  const nginx = await startNginx(programs.nginx, folder, upstream)
  const readyMs: number[] = []
  let gateway: Target | undefined
  for (let start = 0; start < gatewayStarts; start += 1) {
    await gateway?.child.exited
    const startedAt = performance.now()
    const dataFolder = `${folder}/gateway-${start}`
    mkdirSync(dataFolder)
    gateway = await startGateway(options.entry, dataFolder, upstream)
    readyMs.push(performance.now() - startedAt)
    if (start < gatewayStarts - 1) gateway.child.kill('SIGKILL')
  }
  if (gateway === undefined) throw new Error('the gateway was never started')
  return { options, programs, folder, upstream, nginx, gateway, readyMs }
}

export async function checkFixture(fixture: Fixture): Promise<void> {
  for (const target of [fixture.upstream, fixture.nginx, fixture.gateway]) await checkTarget(target)
}

export async function clearFixture(folder: string, keepFolder = false): Promise<void> {
  await stopAllChildren()
  if (!keepFolder) rmSync(folder, { recursive: true, force: true })
}
