import { runtimeVariables } from '../bootstrap/runtime-variables.mjs'

/*
 * The entry of a single executable. It has no launcher that sets Bun's variables before the start, so the process that
 * serves replaces itself once, keeping its process id. Other commands do not need the variables. Windows cannot replace a
 * process; set the variables there.
 */

const [command, ...rest] = process.argv.slice(2)
const isMissing = Object.keys(runtimeVariables).some((name) => process.env[name] === undefined)
if (command === 'serve' && isMissing && process.platform !== 'win32') {
  const variables = { ...runtimeVariables, ...process.env }
  process.execve?.(process.execPath, [process.execPath, command, ...rest], variables)
}
await import('../../src/main.ts')
