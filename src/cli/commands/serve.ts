import type { Command } from '../command.ts'

export const serve: Command = {
  name: 'serve',
  summary: 'Start the gateway; Ctrl-C drains and stops it.',
  example: '--listen 127.0.0.1:9000 --config tollgate.yaml',
  positionals: [],
  options: {},
  onlyHere:
    '"tollgate serve" starts a gateway on this machine, so --url does not apply; run the command on the machine of the gateway.',
  run: ({ context, config, secrets }) => context.serve({ config, secrets }),
}
