import { Group, Text } from '@mantine/core'
import type { ReactNode } from 'react'

/** A setting: name and description on the left, its control on the right. */
export function SettingRow(props: { title: string; text?: ReactNode; children?: ReactNode }) {
  return (
    <Group justify="space-between" gap="md" py="sm">
      <div style={{ flex: '1 1 260px' }}>
        <Text fw={500} size="sm">
          {props.title}
        </Text>
        {props.text !== undefined && (
          <Text size="sm" c="dimmed" component="div">
            {props.text}
          </Text>
        )}
      </div>
      {props.children}
    </Group>
  )
}
