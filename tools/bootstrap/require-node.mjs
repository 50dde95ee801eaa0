// The first import of every launcher. It must stay readable to old versions of Node, so that they
// reach the sentence below and not a syntax error.
const oldestMajor = 20

if (Number(process.versions.node.split('.')[0]) < oldestMajor) {
  process.stderr.write(
    `Tollgate needs Node ${oldestMajor} or newer, and this is Node ${process.versions.node}. ` +
      'Install a current version from https://nodejs.org and run the command again.\n',
  )
  process.exit(1)
}
