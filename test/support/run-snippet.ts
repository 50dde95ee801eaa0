import { mkdtempSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

const modules = join(import.meta.dirname, '..', '..', 'node_modules')

/** Runs a snippet exactly as printed, in its own folder with the packages installed, and returns its output. */
export async function runSnippet(
  text: string,
  variables: Readonly<Record<string, string>> = {},
): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), 'tollgate-snippet-'))
  const env = { PATH: process.env['PATH'] ?? '', ...variables }
  try {
    symlinkSync(modules, join(folder, 'node_modules'))
    if (text.startsWith('curl ')) return await run(['sh', '-c', text], folder, env)
    await Bun.write(join(folder, 'hello.mts'), text)
    return await run([process.execPath, 'hello.mts'], folder, env)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

async function run(
  command: readonly string[],
  folder: string,
  env: Record<string, string>,
): Promise<string> {
  const child = Bun.spawn([...command], { cwd: folder, env, stdout: 'pipe', stderr: 'pipe' })
  const [said, complained] = await Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
  ])
  if ((await child.exited) !== 0) throw new Error(`${command.join(' ')} failed: ${complained}`)
  return said
}
