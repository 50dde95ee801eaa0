import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { version as release } from '../package.json'
import { serve } from './app/serve.ts'
import { watchStopSignals } from './app/stop-signals.ts'
import { runCli } from './cli/run-cli.ts'
import { readEnvironment } from './config.ts'
import { systemRandom } from './core/id.ts'
import { sendHttp } from './http-out/outgoing-http.ts'

/* The composition root: the real clock, the real streams, the real signals. */

/** Defined by the build of a package: the commit that it was built from. */
declare const builtCommit: string | undefined

const version = typeof builtCommit === 'undefined' ? release : `${release}+${builtCommit}`
const here = import.meta.dirname
// A package has the console's files beside the program; in the source tree they are where Vite builds them.
const packedConsole = join(here, 'console')
const consoleFolder = existsSync(packedConsole) ? packedConsole : join(here, '../console/dist')
const stdout = (text: string): void => void process.stdout.write(text)
const stderr = (text: string): void => void process.stderr.write(text)

/** The next line of the terminal; empty when the input is closed. */
async function ask(question: string): Promise<string> {
  const { createInterface } = await import('node:readline')
  const terminal = createInterface({ input: process.stdin, output: process.stdout })
  return new Promise((resolve) => {
    terminal.question(question, (line) => {
      resolve(line)
      terminal.close()
    })
    terminal.once('close', () => resolve(''))
  })
}

async function readInput(): Promise<string> {
  let text = ''
  for await (const piece of process.stdin.setEncoding('utf8')) text += String(piece)
  return text
}

const isInteractive = process.stdin.isTTY === true && process.stdout.isTTY === true

const exitCode = await runCli(process.argv.slice(2), {
  stdout,
  stderr,
  env: readEnvironment(),
  cwd: process.cwd(),
  isTty: process.stdout.isTTY === true,
  readInput,
  ask: isInteractive ? ask : undefined,
  version,
  nowMs: () => Date.now(),
  random: systemRandom,
  send: sendHttp,
  serve: (config) =>
    serve(config, {
      stdout,
      stderr,
      version,
      signals: watchStopSignals(),
      consoleFolder,
    }),
})
process.exit(exitCode)
