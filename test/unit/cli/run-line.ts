import { afterAll } from 'bun:test'
import { existsSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import type { CliContext } from '../../../src/cli/command.ts'
import { runCli } from '../../../src/cli/run-cli.ts'
import { systemRandom } from '../../../src/core/id.ts'
import { sendHttp } from '../../../src/http-out/outgoing-http.ts'
import { copyMigratedFile } from '../../support/sqlite/copy-migrated-file.ts'

export interface ScriptedReply {
  readonly code: number
  readonly out: string
  readonly err: string
}

export interface Terminal {
  readonly cwd: string
  run(line: string, changes?: Partial<CliContext>): Promise<ScriptedReply>
}

/** Opens terminals for one test file, which calls this once; their folders are deleted at its end. */
export function terminals(options: { hasDatabase?: true } = {}): () => Terminal {
  const folders: string[] = []
  afterAll(() => {
    for (const folder of folders) rmSync(folder, { recursive: true, force: true })
  })
  return () => {
    const cwd = mkdtempSync(join(tmpdir(), 'tollgate-cli-'))
    folders.push(cwd)
    const terminal = terminalIn(cwd)
    if (options.hasDatabase !== true) return terminal
    const run: Terminal['run'] = async (line, changes) => {
      const path = join(cwd, 'data', 'tollgate.db')
      if (!existsSync(path)) {
        mkdirSync(dirname(path))
        await copyMigratedFile(path)
      }
      return terminal.run(line, changes)
    }
    return { cwd, run }
  }
}

/** A command line in its own folder; words are separated by spaces. */
export function terminalIn(cwd: string): Terminal {
  const run: Terminal['run'] = (line, changes) =>
    runWords(cwd, line === '' ? [] : line.split(' '), changes)
  return { cwd, run }
}

/** Runs a command in this process. */
export async function runWords(
  cwd: string,
  words: readonly string[],
  changes: Partial<CliContext> = {},
): Promise<ScriptedReply> {
  let out = ''
  let err = ''
  const code = await runCli(words, {
    stdout: (text) => {
      out += text
    },
    stderr: (text) => {
      err += text
    },
    env: {},
    cwd,
    isTty: false,
    version: '1.2.3',
    nowMs: () => Date.now(),
    random: systemRandom,
    send: sendHttp,
    serve: async () => 0,
    ...changes,
  })
  return { code, out, err }
}
