/**
 * No sandbox, because tests may run as root in a container, and no background requests to the vendor. No page lives
 * long enough to benefit from the optimizing compilers, which take a fifth of the processor time.
 */
export const browserFlags = [
  '--no-sandbox',
  '--disable-gpu',
  '--in-process-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  '--js-flags=--no-maglev,--no-turbofan',
]
