/** Bounds for both ends of a gRPC connection. */
import type { ChannelOptions } from '@grpc/grpc-js'

export const message_bytes_max = 16 * 1024 * 1024

/** Messages of at most 16 MiB, sent and taken. */
export const messageBounds: ChannelOptions = {
  'grpc.max_receive_message_length': message_bytes_max,
  'grpc.max_send_message_length': message_bytes_max,
}
