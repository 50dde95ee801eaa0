import { afterAll } from 'bun:test'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** A folder to run in, with a config file and a clean environment. */
export interface Workspace {
  readonly folder: string
  readonly env: Readonly<Record<string, string>>
  path(name: string): string
  /** Writes the config file; JSON is YAML too. */
  configure(config: object): void
}

const folders: string[] = []

/** Call once in each test file: hooks of a shared module would run for the first file only. */
export function removeWorkspacesAfterwards(): void {
  afterAll(() => {
    for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true })
  })
}

export function makeWorkspace(config: object = {}): Workspace {
  const folder = mkdtempSync(join(tmpdir(), 'tollgate-process-'))
  folders.push(folder)
  const path = (name: string) => join(folder, name)
  const configure = (wanted: object) =>
    writeFileSync(path('tollgate.yaml'), JSON.stringify(wanted, null, 2))
  configure({ listen: '127.0.0.1:0', ...config })
  return { folder, env: cleanEnvironment(), path, configure }
}

function cleanEnvironment(): Record<string, string> {
  const isMeantForTollgate = /^TOLLGATE_|^(OPENAI|ANTHROPIC|GEMINI)_API_KEY$/
  const kept = Object.entries(process.env).filter(([name]) => !isMeantForTollgate.test(name))
  const env = Object.fromEntries(kept.map(([name, value]) => [name, value ?? '']))
  // No load balancer checks these gateways, so the lame duck phase is not needed.
  return { ...env, TOLLGATE_LAME_DUCK_SECONDS: '0' }
}
