import './bootstrap/require-node.mjs'
import { ensureInstalled } from './bootstrap/ensure-installed.mjs'
import { runMutants } from './mutants/run-mutants.mjs'

await ensureInstalled()
const say = (/** @type {string} */ line) => process.stdout.write(`${line}\n`)
const { killed, survived } = await runMutants(say, { isQuick: false })
process.stdout.write(`\n${killed.length} killed, ${survived.length} survived\n`)
process.exit(survived.length > 0 ? 1 : 0)
