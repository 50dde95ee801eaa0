import { copyFileSync, linkSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { ensureGatewayBuilt } from '../../tools/testing/ensure-gateway-built.mjs'

let built: Promise<string> | undefined

/** A copy of the built gateway, so that source changes during a run have no effect on it. */
export function builtGateway(): Promise<string> {
  built ??= build()
  return built
}

export async function removeBuiltGateway(): Promise<void> {
  const program = await built
  built = undefined
  if (program !== undefined) rmSync(dirname(program), { recursive: true, force: true })
}

async function build(): Promise<string> {
  const original = await ensureGatewayBuilt()
  const program = join(mkdtempSync(join(tmpdir(), 'tollgate-chaos-build-')), 'tollgate')
  try {
    // A later build replaces the original file; this hard link keeps the old content.
    linkSync(original, program)
  } catch {
    copyFileSync(original, program)
  }
  return program
}
