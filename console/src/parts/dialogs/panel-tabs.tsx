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

/** The tabs of a panel. Only the open tab is mounted, so a switch asks about its unsaved edits first. */
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
