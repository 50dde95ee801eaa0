import { parseArgs } from 'node:util'
import { runEventLoop } from './event-loop.ts'
import { runMisbehave } from './misbehave.ts'

const usageText = `usage: npm run misbehave -- [--connections N] [--seconds N] [--loop] [--only TEXT] [--entry FILE]
Opens misbehaving connections while well-behaved clients are served, on this machine only, and prints figures.
--connections  how many misbehave at once (default 10000)
--seconds      for how long (default 60)
--loop         measures instead how long a single large request keeps the event loop
--only         with --loop, only cases whose name has this text
--entry        the gateway's entry file (default build/main.js)`

const { values } = parseArgs({
  options: {
    connections: { type: 'string', default: '10000' },
    seconds: { type: 'string', default: '60' },
    loop: { type: 'boolean', default: false },
    only: { type: 'string' },
    entry: { type: 'string', default: `${import.meta.dir}/../../build/main.js` },
    help: { type: 'boolean', default: false },
  },
})

if (values.help) process.stdout.write(`${usageText}\n`)
else if (values.loop) process.exitCode = await runEventLoop(values.entry, values.only)
else {
  const connections = Math.min(Number(values.connections), 15_000)
  const seconds = Math.min(Number(values.seconds), 600)
  process.exitCode = await runMisbehave(values.entry, connections, seconds)
}
