// Every launcher imports this file first. Old versions of Node must be able to parse it, so that they print the message
// below and not a syntax error.
const oldestMajor = 20

if (Number(process.versions.node.split('.')[0]) < oldestMajor) {
  process.stderr.write(
    `Tollgate needs Node ${oldestMajor} or newer, and this is Node ${process.versions.node}. ` +
      'Install a current version from https://nodejs.org and run the command again.\n',
  )
  process.exit(1)
}
