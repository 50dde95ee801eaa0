import type { ProtocolName } from '../../../../src/console-api/contract.ts'
import { protocolLabels } from '../../codes/protocol-label.ts'
import { Select } from '../../parts/forms/select.tsx'

export function ProtocolSelect(props: {
  label: string
  protocols: readonly ProtocolName[]
  value: ProtocolName
  onChange: (protocol: ProtocolName) => void
}) {
  return (
    <Select
      label={props.label}
      data={props.protocols.map((value) => ({ value, label: protocolLabels[value] }))}
      allowDeselect={false}
      value={props.value}
      onChange={(name) => {
        const chosen = props.protocols.find((protocol) => protocol === name)
        if (chosen) props.onChange(chosen)
      }}
    />
  )
}
