// What the builder of the bundled indexes takes out of generated bindings and JSON schemas.

import { expect, test } from "bun:test";
import { unpackSchemaIndex } from "../../../src/iac/schema/bundled.ts";
import { openSchemaIndex, type SchemaIndexFile } from "../../../src/iac/schema/schema-index.ts";
import { tempDir } from "../../support/temp-dir.ts";
import { packSchemaIndex } from "./build.ts";
import { withMarks } from "./marks.ts";
import { indexRos } from "./ros-bindings.ts";
import { indexCloudFormation, indexKubernetes } from "./template-schemas.ts";
import { indexBindings } from "./terraform-bindings.ts";

const ORIGIN = { source: "acme/cloud", version: "1.0.0", origin: "test" };

function fields(file: SchemaIndexFile, type: string, ...path: readonly string[]): string[] {
  const index = openSchemaIndex(file);
  let block = index.typeOf(type);
  for (const step of path) block = index.blockAt(block?.get(step)?.inside ?? -1);
  return [...(block?.values() ?? [])].map(
    ({ name, presence, form }) => `${name} ${presence} ${form}`,
  );
}

const BOX_JS = `
function boxDiskToHclTerraform(struct) {
    const attrs = {
        size: {
            value: cdktf.numberToHclTerraform(struct.size),
            isBlock: false,
        },
    };
}
class BoxDiskOutputReference extends cdktf.ComplexObject {
    // volume_id - computed: true, optional: false, required: false
}
class Box extends cdktf.TerraformResource {
        // disk - computed: false, optional: true, required: false
    // arn - computed: true, optional: false, required: false
    synthesizeHclAttributes() {
        const attrs = {
            box_name: {
                value: cdktf.stringToHclTerraform(this._boxName),
                isBlock: false,
            },
            disk: {
                value: cdktf.listMapperHcl(boxDiskToHclTerraform, true)(this._disk.internalValue),
                isBlock: true,
            },
        };
    }
}
Box.tfResourceType = "cloud_box";
`;
const BOX_TYPES = `
export interface BoxConfig extends cdktf.TerraformMetaArguments {
    readonly boxName: string;
    readonly disk?: BoxDisk[] | cdktf.IResolvable;
}
export interface BoxDisk {
    readonly size: number;
}
export declare class Box extends cdktf.TerraformResource {
    readonly arn: string;
}
`;

test("Terraform bindings give names, what is required, what is nested and what is computed", async () => {
  await using dir = await tempDir({ "box/index.js": BOX_JS, "box/index.d.ts": BOX_TYPES });
  const file = indexBindings(dir.path, ORIGIN);
  expect(fields(file, "cloud_box")).toEqual([
    "arn computed attribute",
    "box_name required attribute",
    "disk optional block",
  ]);
  expect(fields(file, "cloud_box", "disk")).toEqual([
    "size required attribute",
    "volume_id computed attribute",
  ]);
});

test("ROS bindings give properties, what is required, and attributes", () => {
  const text = `
function RosBoxPropsValidator(properties) {
    errors.collect(ros.propertyValidator('size', ros.requiredValidator)(properties.size));
}
function rosBoxPropsToRosTemplate(properties, enable) {
    return {
        'Size': ros.numberToRosTemplate(properties.size),
        'Tags': ros.listMapper(rosBoxTagsPropertyToRosTemplate)(properties.tags),
    };
}
class RosBox extends ros.RosResource {
        this.attrArn = this.getAtt('Arn');
}
RosBox.ROS_RESOURCE_TYPE_NAME = "ALIYUN::X::Box";
function rosBoxTagsPropertyToRosTemplate(properties) {
    return {
        'Key': ros.stringToRosTemplate(properties.key),
    };
}
`;
  const file = indexRos([text], ORIGIN);
  expect(fields(file, "ALIYUN::X::Box")).toEqual([
    "Arn computed attribute",
    "Size required attribute",
    "Tags optional object",
  ]);
  expect(fields(file, "ALIYUN::X::Box", "Tags")).toEqual(["Key optional attribute"]);
});

test("a CloudFormation schema that holds itself is left open where it comes back", () => {
  const file = indexCloudFormation(
    [
      {
        typeName: "AWS::X::Box",
        required: ["Rule"],
        readOnlyProperties: ["/properties/Arn"],
        properties: { Arn: {}, Rule: { $ref: "#/definitions/Rule" } },
        definitions: {
          Rule: { properties: { Not: { $ref: "#/definitions/Rule" }, Name: { type: "string" } } },
        },
      },
    ],
    ORIGIN,
  );
  expect(fields(file, "AWS::X::Box")).toEqual(["Arn computed attribute", "Rule required object"]);
  expect(fields(file, "AWS::X::Box", "Rule")).toEqual([
    "Name optional attribute",
    "Not optional attribute",
  ]);
});

test("Kubernetes definitions with a kind become types by API version", () => {
  const kind = [{ group: "apps", version: "v1", kind: "Box" }];
  const file = indexKubernetes(
    {
      "x.Box": {
        "x-kubernetes-group-version-kind": kind,
        properties: { metadata: {}, spec: { $ref: "#/$defs/x.Spec" } },
      },
      "x.Spec": { properties: { size: { type: "integer" } }, required: ["size"] },
    },
    ORIGIN,
  );
  expect(fields(file, "apps/v1/Box", "spec")).toEqual(["size required attribute"]);
});

test("marks are taken over by name, also inside, but no deprecation of a name that is given otherwise now", () => {
  const bindings = {
    ...ORIGIN,
    types: { cloud_box: 0, cloud_new: 2 },
    blocks: ["acl login=1 password region^ size!", "token user", "password"],
  };
  const provider = {
    ...ORIGIN,
    version: "0.9.0",
    hasMarks: true,
    types: { cloud_box: 0, cloud_gone: 1 },
    blocks: ["acl^% login:1 password* region!% size!%", "token* user"],
  };
  expect(withMarks(bindings, provider)).toEqual({
    source: "acme/cloud",
    version: "1.0.0",
    origin: "test; deprecated and sensitive as in 0.9.0",
    hasMarks: true,
    types: { cloud_box: 1, cloud_new: 2 },
    blocks: ["token* user", "acl% login=0 password* region^ size!%", "password"],
  });
});

test("a packed index opens as the program opens it", () => {
  const opened = unpackSchemaIndex(
    packSchemaIndex({ ...ORIGIN, types: { cloud_box: 0 }, blocks: ["name! size"] }),
  );
  expect([...(opened.typeOf("cloud_box")?.keys() ?? [])]).toEqual(["name", "size"]);
});
