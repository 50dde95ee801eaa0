import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { version as release } from '../package.json'
import { serve } from './app/serve.ts'
import { onProcessSignal, ownSignals } from './app/stop/stop-signals.ts'
import { canShareAPort, oneWorkerSentence } from './app/workers/count-workers.ts'
import { joinSupervisor } from './app/workers/join-supervisor.ts'
import { supervise } from './app/workers/supervise.ts'
import { workerCommand } from './app/workers/worker-role.ts'
import { runCli } from './cli/run-cli.ts'
import type { OpenConfig } from './config/referenced-secrets.ts'
import { readEnvironment } from './config.ts'
import { systemRandom } from './core/id.ts'
import { sendHttp } from './http-out/outgoing-http.ts'

/* The composition root: the real clock, the real streams, the real signals. */

/** Defined by the build of a package: the commit that it was built from. */
declare const builtCommit: string | undefined
/** Defined in a single executable, which needs no file to run. */
declare const isExecutable: true | undefined

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

const [command, roleText = '', ...rest] = process.argv.slice(2)
const worker = command === workerCommand ? joinSupervisor(roleText) : undefined
const args = worker ? ['serve', ...rest] : process.argv.slice(2)
const isTty = process.stdout.isTTY === true
const served = { stdout, stderr, version, consoleFolder }

/** One process, a worker of a gateway, or the supervisor of several workers. */
function run({ config, secrets }: OpenConfig): Promise<number> {
  if (worker) return serve(config, { ...served, secrets, signals: worker.signals, worker })
  if (config.workers !== 1 && canShareAPort()) {
    const isFile = typeof isExecutable === 'undefined'
    const before = isFile ? [...process.execArgv, process.argv[1] ?? ''] : []
    const line = { program: process.execPath, before, flags: args.slice(1) }
    return supervise(config, { stdout, stderr, onSignal: onProcessSignal, isTty, line })
  }
  if (config.workers !== 1) stderr(`${oneWorkerSentence}\n`)
  return serve(config, { ...served, secrets, ...ownSignals(onProcessSignal, isTty) })
}

const exitCode = await runCli(args, {
  stdout,
  stderr,
  env: readEnvironment(),
  cwd: process.cwd(),
  isTty,
  readInput,
  ask: isInteractive ? ask : undefined,
  version,
  nowMs: () => Date.now(),
  random: systemRandom,
  send: sendHttp,
  serve: run,
})
// The log writes its lines at the end of a turn.
await new Promise((resolve) => {
  setImmediate(resolve)
})
process.exit(exitCode)
