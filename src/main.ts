import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { serve } from './app/serve.ts'
import { watchStopSignals } from './app/stop-signals.ts'
import { runCli } from './cli/run-cli.ts'
import { readEnvironment } from './config.ts'
import { systemRandom } from './core/id.ts'
import { sendHttp } from './http-out/outgoing-http.ts'
import { isObject, parseJson, stringAt } from './wire/json.ts'

/* The composition root: the real clock, the real streams, the real signals. */

const root = join(import.meta.dirname, '..')
const about = parseJson(readFileSync(join(root, 'package.json'), 'utf8'))
const version = isObject(about) ? (stringAt(about, 'version') ?? '') : ''
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
      consoleFolder: join(root, 'console', 'dist'),
    }),
})
process.exit(exitCode)
