import { Tabs } from '@mantine/core'
import type { ReactNode } from 'react'
import { useInnerScope } from './unsaved.tsx'

interface PanelTab<Name extends string> {
  readonly name: Name
  readonly label: string
  readonly content: ReactNode
}

interface PanelTabsProps<Name extends string> {
  readonly tabs: readonly PanelTab<Name>[]
  readonly open: Name
  readonly onOpen: (name: Name) => void
}

/** The parts of a panel. One of them is there at a time, so its edits are asked about before another is opened. */
export function PanelTabs<Name extends string>({ tabs, open, onOpen }: PanelTabsProps<Name>) {
  const [scope, wrap] = useInnerScope()
  const choose = (value: string | null) => {
    const chosen = tabs.find(({ name }) => name === value)
    if (chosen) scope.leave(() => onOpen(chosen.name))
  }
  return (
    <Tabs value={open} onChange={choose} keepMounted={false}>
      <Tabs.List mb="md">
        {tabs.map(({ name, label }) => (
          <Tabs.Tab key={name} value={name}>
            {label}
          </Tabs.Tab>
        ))}
      </Tabs.List>
      {wrap(
        tabs.map(({ name, content }) => (
          <Tabs.Panel key={name} value={name}>
            {content}
          </Tabs.Panel>
        )),
      )}
    </Tabs>
  )
}
