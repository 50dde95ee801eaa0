import { cpSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { ensureServerBuilt } from '../../tools/bootstrap/ensure-server-built.mjs'
import { projectRoot } from '../../tools/bootstrap/project-root.mjs'

let built: Promise<string> | undefined

/** The folder with what users run, in a place of its own: sources that change meanwhile change no run. */
export function builtGateway(): Promise<string> {
  built ??= build()
  return built
}

export async function removeBuiltGateway(): Promise<void> {
  const folder = await built
  built = undefined
  if (folder !== undefined) rmSync(folder, { recursive: true, force: true })
}

async function build(): Promise<string> {
  const main = await ensureServerBuilt()
  const folder = mkdtempSync(join(tmpdir(), 'tollgate-chaos-build-'))
  cpSync(join(main, '..'), join(folder, 'build'), { recursive: true })
  cpSync(join(projectRoot, 'package.json'), join(folder, 'package.json'))
  return folder
}
