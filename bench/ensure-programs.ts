import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'

// Debian installs nginx in a folder that is often missing from a user's PATH.
const folders = ['/usr/local/sbin', '/usr/local/bin', '/usr/sbin', '/usr/bin', '/sbin', '/bin']

export interface Programs {
  readonly wrk: string
  readonly nginx: string
}

export function ensurePrograms(): Programs {
  const missing = ['wrk', 'nginx'].filter((name) => findProgram(name) === undefined)
  if (missing.length > 0) install(missing)
  return { wrk: requireProgram('wrk'), nginx: requireProgram('nginx') }
}

function findProgram(name: string): string | undefined {
  return Bun.which(name) ?? folders.map((folder) => `${folder}/${name}`).find(existsSync)
}

function requireProgram(name: string): string {
  const path = findProgram(name)
  if (path === undefined) throw new Error(`${name} is still missing after its installation`)
  return path
}

function install(names: readonly string[]): void {
  const command = `apt-get install --yes --no-install-recommends ${names.join(' ')}`
  if (process.getuid?.() !== 0 || findProgram('apt-get') === undefined) {
    throw new Error(`the bench needs ${names.join(' and ')}; install with: sudo ${command}`)
  }
  console.log(`installing ${names.join(' and ')} from the system's packages …`)
  const environment = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' }
  for (const step of ['apt-get update', command]) {
    const [program = '', ...args] = step.split(' ')
    const result = spawnSync(program, args, { env: environment, encoding: 'utf8' })
    if (result.status !== 0) throw new Error(`'${step}' failed: ${result.stderr.trim()}`)
  }
}
