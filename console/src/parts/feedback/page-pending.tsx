import { Center, Loader } from '@mantine/core'

export function PagePending() {
  return (
    <Center mih={240}>
      <Loader type="dots" />
    </Center>
  )
}
