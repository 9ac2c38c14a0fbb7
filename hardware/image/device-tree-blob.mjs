// What a flattened device tree says (devicetree-specification v0.4, chapter 5).
const MAGIC = 0xd00dfeed;
const HEADER = { structureAt: 8, stringsAt: 12, bytes: 40 };
const TOKEN = { beginNode: 1, endNode: 2, property: 3, nothing: 4 };
const CELL = 4;

/** The nodes, each behind its parent: `{ path, parent, properties }`, of which each is a name and its bytes. Throws for what is no tree. */
export function nodesOf(blob) {
  if (blob.length < HEADER.bytes || blob.readUInt32BE(0) !== MAGIC) throw new Error('it is no device tree');
  const strings = blob.readUInt32BE(HEADER.stringsAt);
  const nodes = [];
  let parent = null;
  let at = blob.readUInt32BE(HEADER.structureAt);
  for (;;) {
    const token = blob.readUInt32BE(at);
    at += CELL;
    if (token === TOKEN.beginNode) {
      const name = textAt(blob, at);
      at = aligned(at + Buffer.byteLength(name) + 1);
      parent = {
        path: parent === null ? '/' : `${parent.path.replace(/\/$/, '')}/${name}`,
        parent,
        properties: new Map(),
      };
      nodes.push(parent);
    } else if (token === TOKEN.endNode) parent = parent.parent;
    else if (token === TOKEN.property) {
      const size = blob.readUInt32BE(at);
      const name = textAt(blob, strings + blob.readUInt32BE(at + CELL));
      at += 2 * CELL;
      parent.properties.set(name, blob.subarray(at, at + size));
      at = aligned(at + size);
    } else if (token !== TOKEN.nothing) return nodes;
  }
}

/** Numbers of 32 bits. */
export function cellsOf(bytes) {
  return Array.from({ length: Math.floor((bytes?.length ?? 0) / CELL) }, (_, n) => bytes.readUInt32BE(n * CELL));
}

export function textsOf(bytes) {
  return bytes === undefined ? [] : bytes.toString('latin1').replace(/\0$/, '').split('\0');
}

function textAt(blob, at) {
  return blob.toString('latin1', at, blob.indexOf(0, at));
}

function aligned(at) {
  return Math.ceil(at / CELL) * CELL;
}
