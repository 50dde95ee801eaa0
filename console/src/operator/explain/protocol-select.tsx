import { Select } from '@mantine/core'
import type { Protocol } from '../../../../src/console-api/contract.ts'

export function ProtocolSelect(props: {
  label: string
  protocols: readonly Protocol[]
  value: Protocol
  onChange: (protocol: Protocol) => void
}) {
  return (
    <Select
      label={props.label}
      data={props.protocols}
      allowDeselect={false}
      value={props.value}
      onChange={(name) => {
        const chosen = props.protocols.find((protocol) => protocol === name)
        if (chosen) props.onChange(chosen)
      }}
    />
  )
}
