export interface ImageSize {
  readonly width: number;
  readonly height: number;
}

/** Pixels as the image itself states them. Throws on bytes that are no PNG, JPEG or WebP. */
export function imageSize(bytes: Buffer): ImageSize {
  if (bytes.toString('latin1', 1, 4) === 'PNG')
    return { width: bytes.readUInt32BE(16), height: bytes.readUInt32BE(20) };
  if (bytes.toString('latin1', 8, 12) === 'WEBP') return webpSize(bytes);
  if (bytes.readUInt16BE(0) === 0xffd8) return jpegSize(bytes);
  throw new TypeError('Neither PNG nor JPEG nor WebP.');
}

/** Walks the segments to the start of frame, which is any of C0 to CF but the tables C4, C8 and CC. */
function jpegSize(bytes: Buffer): ImageSize {
  for (let at = 2; at + 9 < bytes.length; at += 2 + bytes.readUInt16BE(at + 2)) {
    const marker = bytes.readUInt8(at + 1);
    if (marker >= 0xc0 && marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker)) {
      return { width: bytes.readUInt16BE(at + 7), height: bytes.readUInt16BE(at + 5) };
    }
  }
  throw new TypeError('A JPEG without a frame.');
}

/** Lossy, lossless and extended files each keep it in their first chunk. */
function webpSize(bytes: Buffer): ImageSize {
  const chunk = bytes.toString('latin1', 12, 16);
  if (chunk === 'VP8X') return { width: bytes.readUIntLE(24, 3) + 1, height: bytes.readUIntLE(27, 3) + 1 };
  if (chunk === 'VP8L') {
    const packed = bytes.readUInt32LE(21);
    return { width: (packed & 0x3fff) + 1, height: ((packed >>> 14) & 0x3fff) + 1 };
  }
  return { width: bytes.readUInt16LE(26) & 0x3fff, height: bytes.readUInt16LE(28) & 0x3fff };
}
